# The module for Redis and Valkey: one shared object with the library inside, which exports its entry and nothing else.
# Under ASan a server that was built without it loads it too, when the runtime of the sanitizer is preloaded.
file(GLOB server_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/server/*.cc)
add_library(bloomery_server OBJECT ${server_sources})
set_target_properties(bloomery_server PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                 VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_server PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_link_libraries(bloomery_server PRIVATE bloomery_flags bloomery_static)
if(NOT BLOOMERY_SANITIZE OR BLOOMERY_SANITIZE MATCHES "address")
  add_library(bloomery_module MODULE $<TARGET_OBJECTS:bloomery_server>)
  set_target_properties(bloomery_module PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)
  target_link_libraries(bloomery_module PRIVATE bloomery_static)
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/server.map)
  target_link_options(bloomery_module PRIVATE LINKER:--version-script=${exports})
  if(NOT BLOOMERY_SANITIZE)  # with it, the runtime is found when the module is loaded
    target_link_options(bloomery_module PRIVATE LINKER:--no-undefined)
  endif()
  set_property(TARGET bloomery_module APPEND PROPERTY LINK_DEPENDS ${exports})
endif()
# What answers and adds is in the two chains and in the library; of the rest -O3 would make nothing but a long build.
set(fast bloom_chain cuckoo_chain filter_value bf_commands bf_change blm_commands)
list(TRANSFORM fast PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/server/)
list(TRANSFORM fast APPEND .cc)
set(cold ${server_sources})
list(REMOVE_ITEM cold ${fast})
set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
