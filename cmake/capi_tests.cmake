# Tests of the C interface: programs in C99, compiled as strictly as that goes, and scripts over the shared library.
if(CMAKE_CXX_COMPILER MATCHES "clang\\+\\+(-[0-9]+)?$" AND NOT CMAKE_C_COMPILER)  # one compiler, because its sanitizers
  string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "clang\\1" CMAKE_C_COMPILER ${CMAKE_CXX_COMPILER})
endif()
enable_language(C)

file(GLOB c_tests CONFIGURE_DEPENDS tests/capi/*_test.c)
add_executable(bloomery_c_tests tests/capi/main.c ${c_tests})
target_compile_options(bloomery_c_tests PRIVATE -std=c99 -pedantic -Wall -Wextra -Werror)
target_include_directories(bloomery_c_tests PRIVATE tests)
target_link_libraries(bloomery_c_tests PRIVATE bloomery_flags bloomery_c Threads::Threads)
if(BLOOMERY_SANITIZE)  # the runtime of clang has parts for C++ alone, which the library needs
  set_target_properties(bloomery_c_tests PROPERTIES LINKER_LANGUAGE CXX)
endif()
foreach(file ${c_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "_test" "" name ${name})
  if(NOT name STREQUAL "threads")
    add_test(NAME c.${name} COMMAND bloomery_c_tests ${name})
  endif()
endforeach()
add_test(NAME threads.c COMMAND bloomery_c_tests threads)  # by its name one of those that ThreadSanitizer runs

# Scripts that load the library: not into an interpreter without the sanitizers that it was built with.
if(NOT BLOOMERY_SANITIZE)
  set(capi_tests ${source}/tests/capi)
  add_test(NAME c.symbols COMMAND ${BLOOMERY_PYTHON} ${capi_tests}/symbols.py ${source} $<TARGET_FILE:bloomery_c>)
  add_test(NAME c.symbols.self_test COMMAND ${BLOOMERY_PYTHON} ${capi_tests}/symbols.py --self-test)
  add_test(NAME c.golden COMMAND ${BLOOMERY_PYTHON} ${capi_tests}/golden.py ${source} $<TARGET_FILE:bloomery_c>)
  foreach(language c python lua)
    add_test(NAME c.documents.${language} COMMAND ${BLOOMERY_PYTHON} ${capi_tests}/documents.py ${source} $<TARGET_FILE:bloomery_c>
                                                  ${CMAKE_C_COMPILER} ${language})
  endforeach()
  set_tests_properties(c.documents.lua PROPERTIES SKIP_RETURN_CODE 77)
  add_test(NAME c.leaks COMMAND ${capi_tests}/leaks.sh $<TARGET_FILE:bloomery_c_tests>)
  set_tests_properties(c.leaks PROPERTIES SKIP_RETURN_CODE 77)
endif()
if(BLOOMERY_SIBLINGS)
  add_test(NAME consumer.c COMMAND ${source}/tests/consumer/c.sh ${source} ${CMAKE_CURRENT_BINARY_DIR})
endif()
