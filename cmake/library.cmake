# The library: one set of objects, as a static archive and a shared object that exports only what is marked.
include(cmake/kinds.cmake)
find_path(BLOOMERY_XXHASH_DIR xxhash.h DOC "Folder of xxhash.h (Debian: libxxhash-dev)")
if(NOT BLOOMERY_XXHASH_DIR)
  message(FATAL_ERROR "xxhash.h is missing: install libxxhash-dev, or set BLOOMERY_XXHASH_DIR.")
endif()

# A file belongs to the library by the folder it lies in; src/kinds/ has a folder for each kind of the list.
set(source_folders src/core/base src/core/hash src/core/io src/core/mem src/core/metrics src/kernel src/kinds/common src/kinds/iblt
                   src/any src/format src/live)
foreach(kind ${bloomery_kinds})
  list(APPEND source_folders src/kinds/${kind})
endforeach()
set(bloomery_sources)
foreach(folder ${source_folders})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  list(APPEND bloomery_sources ${files})
endforeach()
list(FILTER bloomery_sources EXCLUDE REGEX "(_test|/fuzz)\\.cc$")

# Each instruction set's kernel is a file with flags of its own; nothing else may be compiled with them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2.cc PROPERTIES COMPILE_OPTIONS "-mavx2;-mpopcnt")
  # g++ 12 takes the undefined operands in its own AVX-512 headers for mistakes (GCC bug 105593).
  set(avx512_options "-mpopcnt;-mbmi2;-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-Wno-uninitialized;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512.cc
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_ribbon.cc PROPERTIES COMPILE_OPTIONS "${avx512_options}")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512vbmi.cc PROPERTIES COMPILE_OPTIONS "${avx512_options};-mavx512vbmi;-mgfni")
endif()

add_library(bloomery_objects OBJECT ${bloomery_sources})
set_target_properties(bloomery_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_objects PUBLIC include PRIVATE src)
target_include_directories(bloomery_objects SYSTEM PRIVATE ${BLOOMERY_XXHASH_DIR})
target_link_libraries(bloomery_objects PRIVATE bloomery_flags)

# The standard headers that nearly every file has, read once; not by the kernels, which have flags of their own.
target_precompile_headers(bloomery_objects PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <span> <string> <variant> <vector>)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_ribbon.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512vbmi.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/neon.cc
                            PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

add_library(bloomery_static STATIC $<TARGET_OBJECTS:bloomery_objects>)
add_library(bloomery_shared SHARED $<TARGET_OBJECTS:bloomery_objects>)
foreach(target bloomery_static bloomery_shared)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME bloomery)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:include>)
endforeach()
# Before 1.0 the C++ interface may change with each minor version, so the SONAME holds both numbers.
set_target_properties(bloomery_shared PROPERTIES VERSION ${PROJECT_VERSION}
                                                 SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BLOOMERY_SANITIZE)
  target_link_options(bloomery_shared PRIVATE -fsanitize=${BLOOMERY_SANITIZE})
endif()
set_target_properties(bloomery_static PROPERTIES EXPORT_NAME static)
set_target_properties(bloomery_shared PROPERTIES EXPORT_NAME shared)
add_library(bloomery::static ALIAS bloomery_static)
add_library(bloomery::shared ALIAS bloomery_shared)
add_library(bloomery INTERFACE)
target_link_libraries(bloomery INTERFACE bloomery_static)
add_library(bloomery::bloomery ALIAS bloomery)
