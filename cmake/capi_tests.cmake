# Tests of the C interface: programs in C99, compiled as strictly as that goes, and scripts over the shared library.
if(CMAKE_CXX_COMPILER MATCHES "clang\\+\\+(-[0-9]+)?$" AND NOT CMAKE_C_COMPILER)  # sanitizers of one compiler in a program
  string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "clang\\1" CMAKE_C_COMPILER ${CMAKE_CXX_COMPILER})
endif()
enable_language(C)

file(GLOB c_tests CONFIGURE_DEPENDS tests/capi/*_test.c)
add_executable(bloomery_c_tests tests/capi/main.c ${c_tests})
target_compile_options(bloomery_c_tests PRIVATE -std=c99 -pedantic -Wall -Wextra -Werror)
target_include_directories(bloomery_c_tests PRIVATE tests)
target_link_libraries(bloomery_c_tests PRIVATE bloomery_flags bloomery_c Threads::Threads)
set(c_test_env LD_LIBRARY_PATH=$<TARGET_FILE_DIR:bloomery_c>)
foreach(file ${c_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "_test" "" name ${name})
  # threads. is what ThreadSanitizer runs (tools/run_tests.sh).
  add_test(NAME $<IF:$<STREQUAL:${name},threads>,threads.c,c.${name}> COMMAND bloomery_c_tests ${name})
endforeach()
