# Live filters: a library of its own, because it needs threads and calls of Linux.
include(cmake/layer.cmake)
bloomery_layer(live bloomery_static Threads::Threads)
# These look for libnuma, and are linked by those alone who ask for a copy per node: they are objects of their own.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/live/numa.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/live/per_node.cc
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
