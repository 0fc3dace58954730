# The table: a library of its own above the filters, because it alone needs compression. Static: it uses inner layers that
# the shared library does not show.
find_path(BLOOMERY_LZ4_DIR lz4.h)
find_library(BLOOMERY_LZ4_LIBRARY lz4)
find_path(BLOOMERY_ZSTD_DIR zstd.h)
find_library(BLOOMERY_ZSTD_LIBRARY zstd)
if(NOT BLOOMERY_LZ4_DIR OR NOT BLOOMERY_LZ4_LIBRARY OR NOT BLOOMERY_ZSTD_DIR OR NOT BLOOMERY_ZSTD_LIBRARY)
  message(FATAL_ERROR "LZ4 or Zstandard is missing: install liblz4-dev and libzstd-dev, or configure with -DBLOOMERY_TABLE=OFF.")
endif()

add_library(bloomery_table STATIC src/table/block.cc src/table/builder.cc src/table/cache.cc src/table/compact.cc src/table/filter.cc
                                  src/table/filter_builder.cc src/table/format.cc src/table/index.cc src/table/iterator.cc src/table/properties.cc src/table/refilter.cc
                                  src/table/sorter.cc src/table/any_order.cc src/table/table.cc src/table/table_figures.cc src/table/verify.cc src/table/writer.cc)
set_target_properties(bloomery_table PROPERTIES EXPORT_NAME table POSITION_INDEPENDENT_CODE ON)
target_compile_features(bloomery_table PUBLIC cxx_std_20)
target_include_directories(bloomery_table PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                 $<INSTALL_INTERFACE:include> PRIVATE src)
target_include_directories(bloomery_table SYSTEM PRIVATE ${BLOOMERY_LZ4_DIR} ${BLOOMERY_ZSTD_DIR})
target_link_libraries(bloomery_table PUBLIC bloomery_static
                                     PRIVATE $<BUILD_INTERFACE:bloomery_flags>
                                             $<BUILD_INTERFACE:${BLOOMERY_LZ4_LIBRARY}> $<BUILD_INTERFACE:${BLOOMERY_ZSTD_LIBRARY}>
                                             $<INSTALL_INTERFACE:lz4> $<INSTALL_INTERFACE:zstd>)
target_precompile_headers(bloomery_table PRIVATE <bloomery/any.h>)  # in every file of it
set_target_properties(bloomery_table PROPERTIES UNITY_BUILD ${bloomery_folders_at_once} UNITY_BUILD_BATCH_SIZE 9)
add_library(bloomery::table ALIAS bloomery_table)
