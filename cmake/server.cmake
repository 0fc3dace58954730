# The module for Redis and Valkey: one shared object with the library inside, which exports its entry and nothing else.
file(GLOB server_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/server/*.cc)
add_library(bloomery_module MODULE ${server_sources})
set_target_properties(bloomery_module PROPERTIES PREFIX "" OUTPUT_NAME bloomery_module CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_module PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(bloomery_module PRIVATE bloomery_flags bloomery_static)
target_link_options(bloomery_module PRIVATE LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/server.map LINKER:--no-undefined)
