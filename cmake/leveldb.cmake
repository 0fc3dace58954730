# Bloomery's filters as a policy of LevelDB: a library of its own, where LevelDB is installed.
find_path(BLOOMERY_LEVELDB_DIR leveldb/filter_policy.h)
find_library(BLOOMERY_LEVELDB_LIBRARY leveldb)
mark_as_advanced(BLOOMERY_LEVELDB_DIR BLOOMERY_LEVELDB_LIBRARY)
if(NOT BLOOMERY_LEVELDB_DIR OR NOT BLOOMERY_LEVELDB_LIBRARY)
  message(STATUS "LevelDB is not installed (Debian: libleveldb-dev): no filter policy for it")
  return()
endif()

add_library(bloomery_leveldb STATIC src/leveldb/policy.cc)
set_target_properties(bloomery_leveldb PROPERTIES EXPORT_NAME leveldb POSITION_INDEPENDENT_CODE ON)
target_compile_features(bloomery_leveldb PUBLIC cxx_std_20)
target_include_directories(bloomery_leveldb PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:include> PRIVATE src)
target_include_directories(bloomery_leveldb SYSTEM PUBLIC $<BUILD_INTERFACE:${BLOOMERY_LEVELDB_DIR}>)
target_link_libraries(bloomery_leveldb PUBLIC bloomery_static $<BUILD_INTERFACE:${BLOOMERY_LEVELDB_LIBRARY}>
                                              $<INSTALL_INTERFACE:leveldb> PRIVATE $<BUILD_INTERFACE:bloomery_flags>)
add_library(bloomery::leveldb ALIAS bloomery_leveldb)
