# The benchmarks: bench/ holds one file per question, and the peers they are held against.
