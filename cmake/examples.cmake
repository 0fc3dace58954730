# The example that docs/operations/ goes with, linked to the shared library so that its test holds that too. readme.cc is
# built by tests/consumer. cpp-httplib (Debian: libcpp-httplib-dev) was compiled with OpenSSL, so its headers have to be
# there: without CPPHTTPLIB_OPENSSL_SUPPORT a Request would have another size here than in the library.
find_path(BLOOMERY_HTTPLIB_DIR httplib.h DOC "Folder of httplib.h (Debian: libcpp-httplib-dev)")
find_library(BLOOMERY_HTTPLIB cpp-httplib DOC "libcpp-httplib (Debian: libcpp-httplib-dev)")
find_path(BLOOMERY_OPENSSL_DIR openssl/ssl.h DOC "Folder of openssl/ssl.h (Debian: libssl-dev)")
if(BLOOMERY_HTTPLIB_DIR AND BLOOMERY_HTTPLIB AND BLOOMERY_OPENSSL_DIR)
  add_executable(bloomery_service examples/service.cc)
  set_target_properties(bloomery_service PROPERTIES OUTPUT_NAME service)
  target_compile_definitions(bloomery_service PRIVATE CPPHTTPLIB_OPENSSL_SUPPORT)
  target_link_libraries(bloomery_service PRIVATE bloomery_flags bloomery_shared ${BLOOMERY_HTTPLIB})
else()
  message(STATUS "examples/service.cc is left out: it needs libcpp-httplib-dev and libssl-dev")
endif()
# Replicas in three processes; it needs a server.
if(TARGET bloomery_replica_streams)
  add_executable(bloomery_dedup examples/dedup.cc)
  set_target_properties(bloomery_dedup PROPERTIES OUTPUT_NAME dedup)
  target_include_directories(bloomery_dedup SYSTEM PRIVATE ${BLOOMERY_HIREDIS_DIR})
  target_link_libraries(bloomery_dedup PRIVATE bloomery_flags bloomery_replica_streams ${BLOOMERY_HIREDIS_LIBRARY})
endif()
