# Replicas that meet in a stream of Valkey or Redis: a library of its own above the replicas, because it alone needs a
# client (hiredis). Static: it uses inner layers that the shared library does not show.
find_path(BLOOMERY_HIREDIS_DIR hiredis/hiredis.h)
find_library(BLOOMERY_HIREDIS_LIBRARY hiredis)
if(NOT BLOOMERY_HIREDIS_DIR OR NOT BLOOMERY_HIREDIS_LIBRARY)
  message(STATUS "Without streams for replicas: install libhiredis-dev to have them.")
  return()
endif()

file(GLOB streams_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/streams/*.cc)
list(FILTER streams_sources EXCLUDE REGEX "_test\\.cc$")
add_library(bloomery_replica_streams STATIC ${streams_sources})
set_target_properties(bloomery_replica_streams PROPERTIES EXPORT_NAME replica_streams POSITION_INDEPENDENT_CODE ON)
target_compile_features(bloomery_replica_streams PUBLIC cxx_std_20)
target_include_directories(bloomery_replica_streams PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                           $<INSTALL_INTERFACE:include> PRIVATE src)
target_include_directories(bloomery_replica_streams SYSTEM PRIVATE ${BLOOMERY_HIREDIS_DIR})
target_link_libraries(bloomery_replica_streams PUBLIC bloomery_replica_static
                                               PRIVATE $<BUILD_INTERFACE:bloomery_flags>
                                                       $<BUILD_INTERFACE:${BLOOMERY_HIREDIS_LIBRARY}> $<INSTALL_INTERFACE:hiredis>)
bloomery_together(bloomery_replica_streams ${streams_sources})
add_library(bloomery::replica_streams ALIAS bloomery_replica_streams)
