# The library: one set of objects, as a static archive and a shared object that exports only what is marked.
include(cmake/kinds.cmake)
find_path(BLOOMERY_XXHASH_DIR xxhash.h DOC "Folder of xxhash.h (Debian: libxxhash-dev)")
if(NOT BLOOMERY_XXHASH_DIR)
  message(FATAL_ERROR "xxhash.h is missing: install libxxhash-dev, or set BLOOMERY_XXHASH_DIR.")
endif()

# A file belongs to the library by the folder it lies in; src/kinds/ has a folder for each kind of the list.
set(source_folders src/core/base src/core/hash src/core/io src/core/mem src/core/metrics src/kernel src/kinds/common src/kinds/iblt
                   src/any src/format)
foreach(kind ${bloomery_kinds})
  list(APPEND source_folders src/kinds/${kind})
endforeach()
set(bloomery_sources)
foreach(folder ${source_folders})
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER files EXCLUDE REGEX "(_test|/fuzz)\\.cc$")
  list(APPEND bloomery_sources ${files})
  set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${folder})
endforeach()

# Each instruction set's kernel is a file with flags of its own; nothing else may be compiled with them. A probe of one key
# fits into 64 bytes: where it begins at a line of the cache, a call takes less time (bench/results/2026-11-18-avx2.md).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_ribbon.cc
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_shared.cc
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_cuckoo.cc PROPERTIES COMPILE_OPTIONS "-mavx2;-mbmi2;-mpopcnt;-falign-functions=64")
  # g++ 12 takes the undefined operands in its own AVX-512 headers for mistakes (GCC bug 105593).
  set(avx512_options "-falign-functions=64;-mpopcnt;-mbmi2;-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-Wno-uninitialized;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512.cc
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_cuckoo.cc
                              ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_ribbon.cc PROPERTIES COMPILE_OPTIONS "${avx512_options}")
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512vbmi.cc PROPERTIES COMPILE_OPTIONS "${avx512_options};-mavx512vbmi;-mgfni")
endif()

# Its names are those of scalar.cc. The kernels of x86-64 are compiled alone because of their flags.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/neon.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# Where these come after other files g++ 13 calls the hash for each string of a batch, and a batch takes three times as
# long (bench/results/2026-11-19-house-full-16-cores.md).
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/core/hash/xxh3.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/core/hash/xxh64.cc
                            PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

add_library(bloomery_objects OBJECT ${bloomery_sources})
set_target_properties(bloomery_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_objects PUBLIC include PRIVATE src)
target_include_directories(bloomery_objects SYSTEM PRIVATE ${BLOOMERY_XXHASH_DIR})
target_link_libraries(bloomery_objects PRIVATE bloomery_flags)
if(BLOOMERY_THREADS)
  find_package(Threads REQUIRED)
else()
  target_compile_definitions(bloomery_objects PRIVATE BLOOMERY_NO_THREADS)
endif()

if(bloomery_folders_at_once)
  set_target_properties(bloomery_objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
else()
  # These files run once for a filter, a file or a page of figures, and never for a key: -O1 compiles them sooner than -O3.
  # Their bits are the same: no option here touches the arithmetic. No file that instantiates what answers or adds is among
  # them: the linker keeps one copy of a template, and must not keep the slower one.
  set(cold ${bloomery_sources})
  list(FILTER cold INCLUDE REGEX "/(sizing|parquet_sizing|figures|label|growth|iblt|records|snapshot|file|result|describe)\\.cc$")
  list(FILTER cold EXCLUDE REGEX "/kinds/iblt/iblt\\.cc$")
  set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
endif()

# The standard headers that nearly every file has, read once; not by the kernels, which have flags of their own.
target_precompile_headers(bloomery_objects PRIVATE <algorithm> <array> <cmath> <functional> <memory> <optional> <span> <string> <variant> <vector>)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_ribbon.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_shared.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx2_cuckoo.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_cuckoo.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512_ribbon.cc
                            ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/avx512vbmi.cc ${CMAKE_CURRENT_SOURCE_DIR}/src/kernel/neon.cc
                            PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# Static or shared, as BUILD_SHARED_LIBS says; both where this is the project itself.
set(bloomery_forms)
if(PROJECT_IS_TOP_LEVEL OR NOT BUILD_SHARED_LIBS OR BLOOMERY_TABLE OR BLOOMERY_LEVELDB OR BLOOMERY_C OR BLOOMERY_CLI OR BLOOMERY_TESTS)
  add_library(bloomery_static STATIC $<TARGET_OBJECTS:bloomery_objects>)
  list(APPEND bloomery_forms static)
endif()
if(PROJECT_IS_TOP_LEVEL OR BUILD_SHARED_LIBS)
  add_library(bloomery_shared SHARED $<TARGET_OBJECTS:bloomery_objects>)
  list(APPEND bloomery_forms shared)
  # Before 1.0 the C++ interface may change with each minor version, so the SONAME holds both numbers.
  set_target_properties(bloomery_shared PROPERTIES VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(bloomery_shared PRIVATE LINKER:--version-script=${exports})
  set_property(TARGET bloomery_shared APPEND PROPERTY LINK_DEPENDS ${exports})
  if(BLOOMERY_SANITIZE)
    target_link_options(bloomery_shared PRIVATE -fsanitize=${BLOOMERY_SANITIZE})
  endif()
endif()
foreach(form ${bloomery_forms})
  set_target_properties(bloomery_${form} PROPERTIES OUTPUT_NAME bloomery EXPORT_NAME ${form})
  target_compile_features(bloomery_${form} PUBLIC cxx_std_20)
  target_include_directories(bloomery_${form} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                     $<INSTALL_INTERFACE:include>)
  if(BLOOMERY_THREADS)
    target_link_libraries(bloomery_${form} PUBLIC Threads::Threads)
  endif()
  add_library(bloomery::${form} ALIAS bloomery_${form})
endforeach()
add_library(bloomery INTERFACE)
if(BUILD_SHARED_LIBS)
  target_link_libraries(bloomery INTERFACE bloomery_shared)
else()
  target_link_libraries(bloomery INTERFACE bloomery_static)
endif()
add_library(bloomery::bloomery ALIAS bloomery)
