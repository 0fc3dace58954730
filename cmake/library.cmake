# The library: one set of objects, as a static archive and a shared object that exports only what is marked.
find_path(BLOOMERY_XXHASH_DIR xxhash.h DOC "Folder of xxhash.h (Debian: libxxhash-dev)")
if(NOT BLOOMERY_XXHASH_DIR)
  message(FATAL_ERROR "xxhash.h is missing: install libxxhash-dev, or set BLOOMERY_XXHASH_DIR.")
endif()

set(bloomery_sources
    src/base/check.cc
    src/base/log.cc
    src/base/result.cc
    src/metrics/figures.cc
    src/metrics/label.cc
    src/metrics/metrics.cc
    src/hash/fnv_splitmix.cc
    src/hash/hasher.cc
    src/hash/siphash.cc
    src/hash/xxh3.cc
    src/hash/xxh3_stream.cc
    src/hash/xxh64.cc
    src/sizing/blocked.cc
    src/sizing/classic.cc
    src/sizing/counting.cc
    src/sizing/cuckoo.cc
    src/sizing/fuse.cc
    src/sizing/growth.cc
    src/sizing/half_hash.cc
    src/sizing/iblt.cc
    src/sizing/kind.cc
    src/sizing/overlap.cc
    src/sizing/parquet.cc
    src/sizing/partitioned.cc
    src/sizing/scalable.cc
    src/sizing/stable.cc
    src/sizing/quotient.cc
    src/sizing/ribbon.cc
    src/mem/buffer.cc
    src/mem/numa.cc
    src/mem/populate.cc
    src/io/atomic_file.cc
    src/io/file.cc
    src/io/huge_pages.cc
    src/io/sys.cc
    src/kernel/avx2.cc
    src/kernel/avx512.cc
    src/kernel/avx512_ribbon.cc
    src/kernel/avx512vbmi.cc
    src/kernel/caches.cc
    src/kernel/dispatch.cc
    src/kernel/neon.cc
    src/kernel/one_key.cc
    src/kernel/scalar.cc
    src/filter/bit_cells.cc
    src/filter/block.cc
    src/filter/blocked_batch.cc
    src/filter/bulk_add.cc
    src/filter/sorted_hashes.cc
    src/filter/classic.cc
    src/filter/classic_batch.cc
    src/filter/counting.cc
    src/filter/counting_batch.cc
    src/filter/cuckoo.cc
    src/filter/cuckoo_batch.cc
    src/filter/describe.cc
    src/filter/fuse.cc
    src/filter/fuse_batch.cc
    src/filter/fuse_build.cc
    src/filter/iblt.cc
    src/filter/iblt_list.cc
    src/filter/partitioned.cc
    src/filter/scalable.cc
    src/filter/quotient.cc
    src/filter/quotient_batch.cc
    src/filter/quotient_check.cc
    src/filter/quotient_edit.cc
    src/filter/quotient_walk.cc
    src/filter/ribbon.cc
    src/filter/ribbon_batch.cc
    src/filter/ribbon_build.cc
    src/filter/ribbon_solve.cc
    src/filter/split.cc
    src/filter/stable.cc
    src/filter/strata.cc
    src/wire/any.cc
    src/wire/file.cc
    src/wire/header.cc
    src/wire/overlap.cc
    src/wire/iblt.cc
    src/wire/parquet.cc
    src/wire/reading.cc
    src/wire/registry.cc
    src/wire/size.cc
    src/wire/snapshot.cc
    src/live/epochs.cc
    src/live/live.cc
    src/live/live_figures.cc
    src/live/live_stats.cc
    src/live/replicated.cc
    src/live/rotating.cc
    src/live/shared.cc
    src/live/shared_counting.cc
    src/live/shared_cuckoo.cc
    src/live/tenants.cc)
list(TRANSFORM bloomery_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)

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
