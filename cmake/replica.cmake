# Replicas of filters on many machines: a library of its own above the live filters.
include(cmake/layer.cmake)
bloomery_layer(replica bloomery_live_static)
