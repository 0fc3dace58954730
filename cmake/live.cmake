# Live filters: a library of its own, because it alone needs threads and Linux's own calls.
include(cmake/layer.cmake)
find_package(Threads REQUIRED)
bloomery_layer(live bloomery_static Threads::Threads)
set_target_properties(bloomery_live_objects PROPERTIES UNITY_BUILD ${bloomery_folders_at_once} UNITY_BUILD_BATCH_SIZE 8)
