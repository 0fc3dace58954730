# Live filters: a library of its own, because it alone needs threads and Linux's own calls.
include(cmake/layer.cmake)
find_package(Threads REQUIRED)
bloomery_layer(live bloomery_static Threads::Threads)
