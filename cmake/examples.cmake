# The example that docs/operations/ goes with, linked to the shared library so that its test holds that too. readme.cc is
# built by tests/consumer.
add_executable(bloomery_service examples/service.cc)
set_target_properties(bloomery_service PROPERTIES OUTPUT_NAME service)
target_link_libraries(bloomery_service PRIVATE bloomery_flags bloomery_shared)
