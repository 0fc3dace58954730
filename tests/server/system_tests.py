"""What a server demands of a module: files, replicas, copies, settings. Each function is a promise; it gets the path of a
server and that of the module."""
TESTS = []
