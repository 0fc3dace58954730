# bloomery_kinds: the names of the kinds, from the one list of them in include/bloomery/kind.h.
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/include/bloomery/kind.h kind_header)
string(REGEX MATCHALL "KIND\\([a-z]+, " bloomery_kinds "${kind_header}")
list(TRANSFORM bloomery_kinds REPLACE "KIND\\(([a-z]+), " "\\1")
list(REMOVE_ITEM bloomery_kinds name)  # of the comment that explains the list
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/bloomery/kind.h)
