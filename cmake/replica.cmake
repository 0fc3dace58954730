# Replicas of filters on many machines: a library of its own above the live filters. The shared library holds it as well:
# it uses inner layers that the shared library does not show.
file(GLOB replica_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/replica/*.cc)
list(FILTER replica_sources EXCLUDE REGEX "_test\\.cc$")

add_library(bloomery_replica_objects OBJECT ${replica_sources})
set_target_properties(bloomery_replica_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                       VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_replica_objects PUBLIC include PRIVATE src)
target_link_libraries(bloomery_replica_objects PRIVATE bloomery_flags)

add_library(bloomery_replica INTERFACE)
set_target_properties(bloomery_replica PROPERTIES EXPORT_NAME replica)
if(TARGET bloomery_static)
  add_library(bloomery_replica_static STATIC $<TARGET_OBJECTS:bloomery_replica_objects>)
  set_target_properties(bloomery_replica_static PROPERTIES OUTPUT_NAME bloomery_replica EXPORT_NAME replica_static)
  target_link_libraries(bloomery_replica_static PUBLIC bloomery_live_static)
endif()
if(TARGET bloomery_shared)
  target_sources(bloomery_shared PRIVATE $<TARGET_OBJECTS:bloomery_replica_objects>)
endif()
if(BUILD_SHARED_LIBS)
  target_link_libraries(bloomery_replica INTERFACE bloomery_shared)
else()
  target_link_libraries(bloomery_replica INTERFACE bloomery_replica_static)
endif()
add_library(bloomery::replica ALIAS bloomery_replica)
