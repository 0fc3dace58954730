# The benchmarks: bench/ holds one file per question, and the peers they are held against. A peer that is not installed
# is left out and named in the output.
if(NOT TARGET bloomery_table OR NOT TARGET bloomery_live_static)
  message(FATAL_ERROR "The benchmarks measure tables and live filters too: configure without -DBLOOMERY_TABLE=OFF, -DBLOOMERY_LIVE=OFF and -DBLOOMERY_THREADS=OFF.")
endif()
add_executable(
  bloomery_bench
  bench/blocked_speed.cc
  bench/changing_speed.cc
  bench/classic_size.cc
  bench/classic_speed.cc
  bench/columns.cc
  bench/cuckoo_adds.cc
  bench/extremes.cc
  bench/hash_fpr.cc
  bench/hash_rates.cc
  bench/hash_speed.cc
  bench/key_builds.cc
  bench/key_inline.cc
  bench/key_isas.cc
  bench/key_speed.cc
  bench/kind_kit.cc
  bench/live_speed.cc
  bench/main.cc
  bench/measure.cc
  bench/one_call_avx2.cc
  bench/options.cc
  bench/past_capacity.cc
  bench/peers/bloomery.cc
  bench/peers/peers.cc
  bench/peers/sibling.cc
  bench/random_writes.cc
  bench/report.cc
  bench/shared_adds.cc
  bench/static_speed.cc
  bench/table_cases.cc
  bench/table_kit.cc
  bench/table_speed.cc
  bench/table_steps.cc
  bench/tail_latency.cc)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(bench/one_call_avx2.cc PROPERTIES COMPILE_OPTIONS "-mavx2;-mpopcnt")
endif()
target_link_libraries(bloomery_bench PRIVATE bloomery_measure bloomery_flags bloomery_table bloomery_live_static)
if(TARGET bloomery_leveldb)
  target_sources(bloomery_bench PRIVATE bench/leveldb_rates.cc)
  target_compile_definitions(bloomery_bench PRIVATE BLOOMERY_BENCH_POLICY)
  target_link_libraries(bloomery_bench PRIVATE bloomery_leveldb)
endif()

# bloomery_bench_peer(NAME HEADER LIBRARY PACKAGE): adds bench/peers/NAME.cc, or NAME.h, when header and library are there.
function(bloomery_bench_peer name header library package)
  string(TOUPPER ${name} upper)
  find_path(BLOOMERY_${upper}_DIR ${header})
  find_library(BLOOMERY_${upper}_LIBRARY ${library})
  mark_as_advanced(BLOOMERY_${upper}_DIR BLOOMERY_${upper}_LIBRARY)
  if(NOT BLOOMERY_${upper}_DIR OR NOT BLOOMERY_${upper}_LIBRARY)
    message(STATUS "bench: ${name} is not installed (Debian: ${package}), left out")
    return()
  endif()
  file(GLOB sources bench/peers/${name}.* bench/peers/${name}_*)
  target_sources(bloomery_bench PRIVATE ${sources})
  target_compile_definitions(bloomery_bench PRIVATE BLOOMERY_BENCH_${upper})
  target_include_directories(bloomery_bench SYSTEM PRIVATE ${BLOOMERY_${upper}_DIR})
  target_link_libraries(bloomery_bench PRIVATE ${BLOOMERY_${upper}_LIBRARY})
endfunction()
bloomery_bench_peer(libbloom bloom.h bloom libbloom-dev)
bloomery_bench_peer(leveldb leveldb/filter_policy.h leveldb libleveldb-dev)
bloomery_bench_peer(rocksdb rocksdb/db.h rocksdb librocksdb-dev)
bloomery_bench_peer(liburcu urcu/urcu-memb.h urcu-memb liburcu-dev)

if(TARGET bloomery_replica_static)
  add_executable(bloomery_replica_bench bench/replica_speed.cc)
  target_include_directories(bloomery_replica_bench PRIVATE src)
  target_link_libraries(bloomery_replica_bench PRIVATE bloomery_flags bloomery_replica_static)
endif()
