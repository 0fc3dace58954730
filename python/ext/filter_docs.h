// Docstrings of class Filter. Their examples are run by tests/test_docs.py.
#pragma once

namespace bloomery::python::docs {

inline constexpr char kFilter[] = R"(A filter: says of a key that it is definitely absent, or may be present.

Filter(n, fpr=0.01, kind="block", *, hash=None, seed=0, secret=None) is an empty one for n keys, of which at most
the share fpr of absent keys is taken for present. Keys are str (by UTF-8), bytes and int (-2**63 to 2**64 - 1).

Any thread may call any method. Those that look wait while another thread's batch changes the filter, and those that
change it wait while others look or change; single calls are short and keep the GIL, batches release it.

>>> from bloomery import Filter
>>> users = Filter(1_000_000, 0.01)
>>> users.add("anna")
>>> "anna" in users, "bert" in users
(True, False)
>>> users
<bloomery.Filter block, 1 key, 1239808 bytes>
)";

inline constexpr char kBuild[] =
    R"(A filter of these keys, sized for them. Static kinds (fuse, ribbon) are made in no other way.

Keys are an array of NumPy, something of Arrow, or any iterable; threads are used by the kinds that can. Releases the
GIL while it builds. progress=True shows a bar of tqdm while keys are read; a text stands beside it.

>>> from bloomery import Filter
>>> filter = Filter.build(["a", "b", "c"], kind="fuse")
>>> filter.contains(["a", "c"]).tolist()
[True, True]
)";

inline constexpr char kAdd[] = R"(Adds one key. Waits while another thread reads or changes the filter by a batch.)";

inline constexpr char kRemove[] =
    R"(Removes one key that was added; False says that it was certainly not there. Of kinds that can.

>>> from bloomery import Filter
>>> sessions = Filter(1000, kind="cuckoo")
>>> sessions.add("s1")
>>> sessions.remove("s1"), sessions.remove("s2")
(True, False)
)";

inline constexpr char kContains[] = R"(Answers of many keys: a bool for each, as an array of NumPy.

answers="bits" gives a bit for each key, the lowest of a byte first, as Arrow has them; answers="positions" gives the
positions of the keys that may be present. nulls="skip" answers False for nulls, which are refused otherwise. Releases
the GIL; many threads may ask at once. A stream or an iterable is taken chunk by chunk. progress=True shows a bar of
tqdm.

>>> import numpy as np
>>> from bloomery import Filter
>>> filter = Filter.build(np.arange(10), 0.0001)
>>> filter.contains(np.array([3, 1234, 5]))
array([ True, False,  True])
>>> filter.contains([3, 1234, 5], answers="positions").tolist()
[0, 2]
)";

inline constexpr char kUpdate[] = R"(Adds many keys, and releases the GIL meanwhile. Other threads wait.

threads: block and split filters use several. nulls="skip" passes over nulls, which are refused otherwise. When a key
is refused, or the filter is full, those of the chunks before are in. An iterable is taken in chunks of 8192 keys: it
may ask the filter that it goes to, which then knows the chunks before. progress=True shows a bar of tqdm.

>>> from bloomery import Filter
>>> seen = Filter(1000)
>>> seen.update("to be or not to be".split())
>>> "be" in seen, len(seen)
(True, 6)
)";

inline constexpr char kRemoveMany[] = R"(Removes many keys and says how many of them were there. Releases the GIL.)";
inline constexpr char kClear[] = R"(Removes all keys.)";

inline constexpr char kSave[] =
    R"(Writes the filter to a file, which appears whole or not at all. C++, Rust and Go read it.

label: a name for people; keys: what the keys are ("text", "int", ...), by spec/keys.md. chunks=True writes sums by which
a part of the file can be verified. format: "envelope", "raw" (classic filters) or "parquet" (split filters).
)";
inline constexpr char kOpen[] =
    R"(Reads a file, verifies all of it, and gives the filter, which can be changed where its kind can.

>>> import bloomery, os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "users.blm")
>>> bloomery.Filter.build(["anna"]).save(path, label="users")
>>> "anna" in bloomery.open(path)
True
)";
inline constexpr char kMap[] = R"(Maps a file of any size and uses it in place, at once; it cannot be changed.

The payload is not verified unless verify=True or verify() is called; a damaged one can deny keys. save(), to_bytes(),
copy(), pickles and |= of it verify all of it first. Replace such a file by rename, as save() does: a file that is cut
in place ends the process.
)";
inline constexpr char kFromBytes[] =
    R"(The filter of bytes that to_bytes gave, or that a file holds. Verifies all of them.)";
inline constexpr char kToBytes[] = R"(The bytes that save() would write. bytes(filter) are the same.)";
inline constexpr char kVerify[] =
    R"(Verifies a mapped file to the last bit; a damaged one is closed, and CorruptError says where.)";
inline constexpr char kClose[] =
    R"(Gives the memory or the file back. Every later question or change raises InvalidArgumentError.)";
inline constexpr char kCopy[] = R"(A filter of its own with the same keys, in memory, also of a mapped one.)";

}  // namespace bloomery::python::docs
