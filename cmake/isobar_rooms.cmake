# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# One library per room from the table in rooms.txt, then libisobar from the objects of all rooms.
#   isobar_<room>   all of src/<room> with everything the room may include
#   isobar          the library users link (static, or shared with BUILD_SHARED_LIBS)
#   isobar_static   always static: tests see the internal symbols
#   isobar_shared   always shared: Python and other languages load it (not in sanitizer builds)

set(isobar_rooms_file "${CMAKE_SOURCE_DIR}/cmake/rooms.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${isobar_rooms_file}")
file(STRINGS "${isobar_rooms_file}" isobar_room_lines REGEX "^[a-z]+:")

# Rooms that meet bytes from outside. The others, and trees of boxes, compute, a microsecond at a
# time, with numbers that were checked: with checked copies clang inlines less there, and a query
# with a plane takes 4 to 13 % longer.
set(isobar_rooms_of_bytes base geometry scene record prepare task world live)
set(isobar_unchecked_copies "SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0")
file(GLOB isobar_trees_of_boxes CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/geometry/search/bvh*.c")
set_source_files_properties(${isobar_trees_of_boxes} PROPERTIES
                            COMPILE_OPTIONS "-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=0")

set(isobar_rooms "")
set(isobar_objects "")
set(isobar_third_party_all "")
foreach(line IN LISTS isobar_room_lines)
    string(REGEX MATCH "^([a-z]+):(.*)$" unused "${line}")
    set(room "${CMAKE_MATCH_1}")
    string(STRIP "${CMAKE_MATCH_2}" below)
    separate_arguments(below)
    list(TRANSFORM below PREPEND isobar_)
    list(APPEND isobar_rooms ${room})
    list(APPEND isobar_third_party_all ${isobar_third_party_${room}})

    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${room}/*.c")
    if(sources)
        add_library(isobar_${room} STATIC EXCLUDE_FROM_ALL ${sources})
        target_link_libraries(isobar_${room} PUBLIC ${below} ${isobar_third_party_${room}}
                              PRIVATE isobar_flags isobar_warnings)
        target_include_directories(isobar_${room} PUBLIC "${CMAKE_SOURCE_DIR}/include"
                                                         "${CMAKE_SOURCE_DIR}/src")
        if(NOT room IN_LIST isobar_rooms_of_bytes)
            target_compile_options(isobar_${room} PRIVATE "${isobar_unchecked_copies}")
        endif()
        if(NOT room STREQUAL "base")
            target_link_libraries(isobar_${room} PRIVATE isobar_simd_flags)
        endif()
        list(APPEND isobar_objects $<TARGET_OBJECTS:isobar_${room}>)
    else()
        add_library(isobar_${room} INTERFACE)
        target_link_libraries(isobar_${room} INTERFACE ${below} ${isobar_third_party_${room}})
        target_include_directories(isobar_${room} INTERFACE "${CMAKE_SOURCE_DIR}/include"
                                                            "${CMAKE_SOURCE_DIR}/src")
    endif()
endforeach()
list(REMOVE_DUPLICATES isobar_third_party_all)
if(TARGET isobar_base)
    # Layout of the public headers, which whoever loads the library can compare with its own.
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(isobar_layout "${ISOBAR_GENERATED_DIR}/isobar_layout.c")
    set(isobar_layout_maker "${CMAKE_SOURCE_DIR}/python/isobar/_headers.py")
    file(GLOB isobar_layout_headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/include/isobar/*.h")
    add_custom_command(
        OUTPUT "${isobar_layout}"
        COMMAND Python3::Interpreter "${isobar_layout_maker}" "${CMAKE_SOURCE_DIR}/include"
                --layout "${isobar_layout}"
        DEPENDS "${isobar_layout_maker}" ${isobar_layout_headers}
        COMMENT "Writing down the layout of the public headers"
        VERBATIM)
    target_sources(isobar_base PRIVATE "${isobar_layout}")
    set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/base/core/context.c" APPEND PROPERTY COMPILE_DEFINITIONS
                 "ISO_VERSION_TEXT=\"${PROJECT_VERSION}\"")
endif()
if(TARGET isobar_prepare)
    # What fTetWild runs in where nobody names another one: the environment that tools/setup makes.
    set(isobar_prepare_python "${CMAKE_SOURCE_DIR}/build/venv/bin/python3")
    if(SKBUILD)
        set(isobar_prepare_python "") # goes to other machines
    endif()
    set(ISOBAR_PREPARE_PYTHON "${isobar_prepare_python}" CACHE FILEPATH
        "Python that has pytetwild, for isobar prepare; an absolute path, or empty: python3 on PATH")
    if(ISOBAR_PREPARE_PYTHON)
        if(NOT IS_ABSOLUTE "${ISOBAR_PREPARE_PYTHON}")
            message(FATAL_ERROR "ISOBAR_PREPARE_PYTHON is '${ISOBAR_PREPARE_PYTHON}', expected an "
                                "absolute path")
        endif()
        set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/prepare/meshers/ftetwild.c" APPEND PROPERTY
                     COMPILE_DEFINITIONS "ISO_PREPARE_PYTHON=\"${ISOBAR_PREPARE_PYTHON}\"")
    endif()
endif()

function(isobar_add_whole_library target kind)
    add_library(${target} ${kind} ${isobar_objects})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(${target} PRIVATE ${isobar_third_party_all})
    target_include_directories(
        ${target} INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
                            "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_target_properties(${target} PROPERTIES OUTPUT_NAME isobar INSTALL_RPATH "")
    if(kind STREQUAL "SHARED")
        set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
                                                   SOVERSION ${PROJECT_VERSION_MAJOR})
    endif()
endfunction()

if(BUILD_SHARED_LIBS)
    isobar_add_whole_library(isobar SHARED)
    isobar_add_whole_library(isobar_static STATIC)
else()
    isobar_add_whole_library(isobar STATIC)
    add_library(isobar_static ALIAS isobar)
    if(NOT ISOBAR_SANITIZE AND NOT ISOBAR_FUZZ)
        isobar_add_whole_library(isobar_shared SHARED)
    endif()
endif()
