# Programs behind constants in the code; built by name only.
add_executable(tune_prefetch EXCLUDE_FROM_ALL tools/tune_prefetch.cc)
target_include_directories(tune_prefetch PRIVATE src)
target_link_libraries(tune_prefetch PRIVATE bloomery_static bloomery_flags)
