# The C interface: one shared library that holds all of it, for programs and bindings without C++. It exports bloomery_*
# alone. A build without tables or live filters has their functions too, which refuse.
file(STRINGS include/bloomery/c/base.h abi_lines REGEX "#define BLOOMERY_ABI_M")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\1" abi_major "${abi_lines}")
string(REGEX REPLACE ".*MAJOR ([0-9]+).*MINOR ([0-9]+).*" "\\2" abi_minor "${abi_lines}")

set(capi_sources capi/base.cc capi/batch.cc capi/error.cc capi/file.cc capi/filter.cc capi/iblt.cc capi/keys.cc capi/properties.cc)
if(TARGET bloomery_live_static)
  list(APPEND capi_sources capi/live.cc capi/rotating.cc)
  list(APPEND capi_libraries bloomery_live_static)
else()
  list(APPEND capi_sources capi/no_live.cc)
endif()
if(TARGET bloomery_table)
  list(APPEND capi_sources capi/table.cc capi/table_build.cc capi/table_merge.cc)
  list(APPEND capi_libraries bloomery_table)
else()
  list(APPEND capi_sources capi/no_table.cc)
endif()

add_library(bloomery_c_objects OBJECT ${capi_sources})
set_target_properties(bloomery_c_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                    VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_c_objects PUBLIC include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
bloomery_together(bloomery_c_objects ${capi_sources})
target_link_libraries(bloomery_c_objects PUBLIC ${capi_libraries} bloomery_static PRIVATE bloomery_flags)

add_library(bloomery_c SHARED $<TARGET_OBJECTS:bloomery_c_objects>)
set_target_properties(bloomery_c PROPERTIES EXPORT_NAME c LINKER_LANGUAGE CXX VERSION ${abi_major}.${abi_minor}
                                            SOVERSION ${abi_major})
target_include_directories(bloomery_c PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                             $<INSTALL_INTERFACE:include>)
target_link_libraries(bloomery_c PRIVATE ${capi_libraries} bloomery_static bloomery_flags)
set(capi_exports ${CMAKE_CURRENT_SOURCE_DIR}/capi/exports.map)
target_link_options(bloomery_c PRIVATE LINKER:--version-script=${capi_exports})
set_property(TARGET bloomery_c APPEND PROPERTY LINK_DEPENDS ${capi_exports})
add_library(bloomery::c ALIAS bloomery_c)
