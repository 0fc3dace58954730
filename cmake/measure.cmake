# What the command `bloomery bench` and the benchmarks both measure with.
add_library(bloomery_measure STATIC bench/ceiling.cc bench/counters.cc bench/keys.cc bench/machine.cc bench/rows.cc
                                    bench/rows_text.cc bench/text.cc)
target_include_directories(bloomery_measure PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(bloomery_measure PUBLIC bloomery_static PRIVATE bloomery_flags)
target_compile_options(bloomery_measure PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)  # sanitizers measure nothing

# The commit is that of configure time; a result file says when it was made as well.
find_package(Git QUIET)
if(Git_FOUND)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} rev-parse --short HEAD
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    OUTPUT_VARIABLE bloomery_commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(bloomery_commit)
    set_source_files_properties(bench/machine.cc PROPERTIES COMPILE_DEFINITIONS BLOOMERY_BENCH_COMMIT="${bloomery_commit}")
  endif()
endif()
