# cmake --install: headers, libraries, find_package(bloomery), pkg-config, man page, shell completion.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The files of pkg-config find the prefix from their own place, because `cmake --install --prefix P` and who moves the
# tree choose another than is known here.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE up)
set(pc_prefix "\${pcfiledir}/${up}")
set(pc_libdir "\${prefix}")
set(pc_includedir "\${prefix}")
cmake_path(APPEND pc_libdir "${CMAKE_INSTALL_LIBDIR}")  # which may be an absolute path
cmake_path(APPEND pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")

# Headers of libraries that are not built here would only disappoint.
install(DIRECTORY include/bloomery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN "bloomery/live" EXCLUDE PATTERN "bloomery/replica" EXCLUDE PATTERN "replica_streams.h" EXCLUDE PATTERN "bloomery/table" EXCLUDE PATTERN "leveldb.h" EXCLUDE PATTERN "bloomery/c" EXCLUDE PATTERN "bloomery/c.h" EXCLUDE)
# bloomery::bloomery is bloomery::static, or bloomery::shared where BUILD_SHARED_LIBS is set.
list(TRANSFORM bloomery_forms PREPEND bloomery_ OUTPUT_VARIABLE built)
install(TARGETS bloomery ${built} EXPORT bloomery_targets)
if(TARGET bloomery_live)
  install(DIRECTORY include/bloomery/live DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_live EXPORT bloomery_targets)
  if(TARGET bloomery_live_static)
    install(TARGETS bloomery_live_static EXPORT bloomery_targets)
  endif()
endif()
if(TARGET bloomery_replica)
  install(DIRECTORY include/bloomery/replica DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_replica EXPORT bloomery_targets)
  if(TARGET bloomery_replica_static)
    install(TARGETS bloomery_replica_static EXPORT bloomery_targets)
  endif()
endif()
if(TARGET bloomery_replica_streams)
  install(FILES include/bloomery/replica_streams.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_replica_streams EXPORT bloomery_targets)
endif()
if(TARGET bloomery_table)
  install(DIRECTORY include/bloomery/table DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_table EXPORT bloomery_targets)
  configure_file(cmake/bloomery-table.pc.in bloomery-table.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bloomery-table.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
if(TARGET bloomery_leveldb)
  install(FILES include/bloomery/leveldb.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_leveldb EXPORT bloomery_targets)
endif()
if(TARGET bloomery_c)
  install(FILES include/bloomery/c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(DIRECTORY include/bloomery/c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bloomery)
  install(TARGETS bloomery_c EXPORT bloomery_targets)
  configure_file(cmake/bloomery-c.pc.in bloomery-c.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bloomery-c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
install(EXPORT bloomery_targets NAMESPACE bloomery:: FILE bloomery-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)

set(find_threads)
if(BLOOMERY_THREADS)
  set(find_threads "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n")
endif()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config.cmake
     "${find_threads}include(\${CMAKE_CURRENT_LIST_DIR}/bloomery-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/bloomery-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/bloomery-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bloomery)

configure_file(cmake/bloomery.pc.in bloomery.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/bloomery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(BLOOMERY_CLI)
  install(TARGETS bloomery_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(NOT CMAKE_CROSSCOMPILING)  # they are made by running the command
    install(FILES ${bloomery_described}/bloomery.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${bloomery_described}/bloomery.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bloomery)
    install(FILES ${bloomery_described}/bloomery.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _bloomery)
    install(FILES ${bloomery_described}/bloomery.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
