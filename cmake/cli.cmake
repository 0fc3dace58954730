# The command `bloomery`.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_executable(bloomery_cli
               cli/main.cc cli/command.cc cli/completion.cc cli/describe.cc cli/man.cc cli/parse.cc cli/topics.cc cli/help.cc cli/common.cc cli/filter_file.cc cli/json.cc cli/key_spelling.cc cli/keys.cc cli/numbers.cc cli/output.cc cli/progress.cc cli/replace.cc
               cli/bench.cc cli/build.cc cli/build_from_keys.cc cli/change.cc cli/choose.cc cli/demo.cc cli/distinct.cc cli/growth.cc cli/hash.cc cli/iblt.cc
               cli/iblt_size.cc cli/inspect.cc cli/label.cc cli/merge.cc cli/overlap.cc cli/parquet.cc cli/picture.cc cli/plan.cc cli/plan_table.cc cli/query.cc cli/records.cc cli/secret.cc cli/set_diff.cc cli/shape.cc cli/verify.cc)
set_target_properties(bloomery_cli PROPERTIES OUTPUT_NAME bloomery)
target_include_directories(bloomery_cli PRIVATE src ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(bloomery_cli PRIVATE bloomery_flags bloomery_measure bloomery_static fmt::fmt nlohmann_json::nlohmann_json)
if(BLOOMERY_TABLE)
  target_sources(bloomery_cli PRIVATE cli/demo_table.cc cli/entries.cc cli/entry_json.cc cli/interrupt.cc cli/table.cc cli/table_bench.cc cli/table_build.cc cli/table_compact.cc
                                      cli/table_read.cc cli/table_stats.cc)
  target_link_libraries(bloomery_cli PRIVATE bloomery_table)
  set_source_files_properties(cli/describe.cc PROPERTIES COMPILE_DEFINITIONS BLOOMERY_CLI_TABLES)
else()
  target_sources(bloomery_cli PRIVATE cli/no_table.cc)
endif()
# What asks servers, where their client is installed.
if(TARGET bloomery_replica_streams)
  target_sources(bloomery_cli PRIVATE cli/replica.cc cli/replica_bridge.cc cli/replica_follow.cc cli/server.cc cli/server_link.cc)
  target_link_libraries(bloomery_cli PRIVATE bloomery_replica_streams)
else()
  target_sources(bloomery_cli PRIVATE cli/no_replica.cc cli/no_server.cc)
endif()
# What takes time at run time is in the library, and in the five files that split, join and sort lines. The rest reads
# options: -O3 would make nothing but a longer build. Sanitizers (RelWithDebInfo) see as much without any optimization.
target_compile_options(bloomery_cli PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
set_source_files_properties(cli/distinct.cc cli/entries.cc cli/entry_json.cc cli/keys.cc cli/output.cc PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>
                                                                                SKIP_PRECOMPILE_HEADERS ON)
# Where no tests are built, ten files at once (as in the library); not those that have flags of their own.
set_target_properties(bloomery_cli PROPERTIES UNITY_BUILD ${bloomery_folders_at_once} UNITY_BUILD_BATCH_SIZE 10)
# The two large headers are read once instead of a dozen times.
target_precompile_headers(bloomery_cli PRIVATE <fmt/format.h> <bloomery/bloomery.h>)

# Man page and completions are what the command says of itself.
set(bloomery_described ${CMAKE_CURRENT_BINARY_DIR}/described)
if(NOT CMAKE_CROSSCOMPILING)
  set(made)
  foreach(pair "1 man" "bash completion bash" "zsh completion zsh" "fish completion fish")
    separate_arguments(words UNIX_COMMAND "${pair}")
    list(POP_FRONT words suffix)
    set(file ${bloomery_described}/bloomery.${suffix})
    add_custom_command(
      OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${bloomery_described}
      COMMAND bloomery_cli ${words} > ${file}
      DEPENDS bloomery_cli
      VERBATIM)
    list(APPEND made ${file})
  endforeach()
  add_custom_target(bloomery_described ALL DEPENDS ${made})
endif()
