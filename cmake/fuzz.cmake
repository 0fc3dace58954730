# The fuzzers (libFuzzer, so clang). `make fuzz` runs each a million times; `make test` a few thousand, from the corpus
# in fuzz/corpus, as ctest entries.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "The fuzzers need clang: use the preset asan or fuzz.")
endif()
set(BLOOMERY_FUZZ_RUNS 20000 CACHE STRING "Executions of each fuzzer as a test")

foreach(name raw envelope parquet classic kernel)
  add_executable(${name}_fuzz fuzz/${name}_fuzz.cc)
  target_include_directories(${name}_fuzz PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name}_fuzz PRIVATE bloomery_flags bloomery_static)
  if(BLOOMERY_TESTS)
    add_test(NAME fuzz.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/fuzz.sh $<TARGET_FILE:${name}_fuzz> ${BLOOMERY_FUZZ_RUNS})
  endif()
endforeach()
# Coverage feedback from the library itself, not from the harness alone.
target_compile_options(bloomery_objects PRIVATE -fsanitize=fuzzer-no-link)
target_link_options(bloomery_static INTERFACE -fsanitize=fuzzer-no-link)
target_link_options(bloomery_shared PRIVATE -fsanitize=fuzzer-no-link)
