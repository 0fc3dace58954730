// Nothing: the file of the target that compiles the large headers for all programs of tests (cmake/tests.cmake).
