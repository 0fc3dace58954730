# bloomery_layer(NAME LIBRARIES...): src/NAME as a library of its own above the filters, bloomery::NAME. Its objects go
# into a static library, which links LIBRARIES, and into the shared one: they use inner layers that the shared library
# does not show.
function(bloomery_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  add_library(bloomery_${name}_objects OBJECT ${sources})
  set_target_properties(bloomery_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                                            VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(bloomery_${name}_objects PUBLIC include PRIVATE src)
  target_link_libraries(bloomery_${name}_objects PRIVATE bloomery_flags)

  add_library(bloomery_${name} INTERFACE)
  set_target_properties(bloomery_${name} PROPERTIES EXPORT_NAME ${name})
  if(TARGET bloomery_static)
    add_library(bloomery_${name}_static STATIC $<TARGET_OBJECTS:bloomery_${name}_objects>)
    set_target_properties(bloomery_${name}_static PROPERTIES OUTPUT_NAME bloomery_${name} EXPORT_NAME ${name}_static)
    target_link_libraries(bloomery_${name}_static PUBLIC ${ARGN})
  endif()
  if(TARGET bloomery_shared)
    target_sources(bloomery_shared PRIVATE $<TARGET_OBJECTS:bloomery_${name}_objects>)
  endif()
  if(BUILD_SHARED_LIBS)
    target_link_libraries(bloomery_${name} INTERFACE bloomery_shared)
  else()
    target_link_libraries(bloomery_${name} INTERFACE bloomery_${name}_static)
  endif()
  add_library(bloomery::${name} ALIAS bloomery_${name})
endfunction()
