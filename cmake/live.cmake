# Live filters: a library of its own above the filters, because it alone needs threads and Linux's own calls. The shared
# library holds it as well: it uses inner layers that the shared library does not show.
file(GLOB live_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/live/*.cc)
list(FILTER live_sources EXCLUDE REGEX "_test\\.cc$")
find_package(Threads REQUIRED)

add_library(bloomery_live_objects OBJECT ${live_sources})
set_target_properties(bloomery_live_objects PROPERTIES UNITY_BUILD ${bloomery_folders_at_once} UNITY_BUILD_BATCH_SIZE 8)
set_target_properties(bloomery_live_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                       VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(bloomery_live_objects PUBLIC include PRIVATE src)
target_link_libraries(bloomery_live_objects PRIVATE bloomery_flags)

add_library(bloomery_live INTERFACE)
set_target_properties(bloomery_live PROPERTIES EXPORT_NAME live)
if(TARGET bloomery_static)
  add_library(bloomery_live_static STATIC $<TARGET_OBJECTS:bloomery_live_objects>)
  set_target_properties(bloomery_live_static PROPERTIES OUTPUT_NAME bloomery_live EXPORT_NAME live_static)
  target_link_libraries(bloomery_live_static PUBLIC bloomery_static Threads::Threads)
endif()
if(TARGET bloomery_shared)
  target_sources(bloomery_shared PRIVATE $<TARGET_OBJECTS:bloomery_live_objects>)
endif()
if(BUILD_SHARED_LIBS)
  target_link_libraries(bloomery_live INTERFACE bloomery_shared)
else()
  target_link_libraries(bloomery_live INTERFACE bloomery_live_static)
endif()
add_library(bloomery::live ALIAS bloomery_live)
