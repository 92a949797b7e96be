# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# viewer/ is an npm project whose build is one self-contained HTML file. It becomes a C array that
# the isobar command writes its views from:
#   extern const unsigned char isobar_viewer_html[];
#   extern const size_t isobar_viewer_html_size;   (0 when this build has no viewer)

find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(isobar_viewer_html "")
if(ISOBAR_VIEWER AND EXISTS "${CMAKE_SOURCE_DIR}/viewer/package.json")
    find_program(ISOBAR_NPM npm)
    if(ISOBAR_NPM)
        set(isobar_viewer_html "${CMAKE_BINARY_DIR}/viewer/index.html")
        file(GLOB_RECURSE isobar_viewer_sources CONFIGURE_DEPENDS
             "${CMAKE_SOURCE_DIR}/viewer/src/*" "${CMAKE_SOURCE_DIR}/viewer/public/*"
             "${CMAKE_SOURCE_DIR}/viewer/assets/*")
        file(GLOB isobar_viewer_root_files CONFIGURE_DEPENDS
             "${CMAKE_SOURCE_DIR}/viewer/*.html" "${CMAKE_SOURCE_DIR}/viewer/*.json"
             "${CMAKE_SOURCE_DIR}/viewer/*.js" "${CMAKE_SOURCE_DIR}/viewer/*.mjs"
             "${CMAKE_SOURCE_DIR}/viewer/*.ts")
        add_custom_command(
            OUTPUT "${isobar_viewer_html}"
            COMMAND "${CMAKE_SOURCE_DIR}/tools/build_viewer" "${CMAKE_BINARY_DIR}/viewer"
            DEPENDS ${isobar_viewer_sources} ${isobar_viewer_root_files}
                    "${CMAKE_SOURCE_DIR}/tools/build_viewer"
            COMMENT "Building the web viewer"
            USES_TERMINAL VERBATIM)
        message(STATUS "Viewer: built with ${ISOBAR_NPM} and embedded in the command")
    else()
        message(STATUS "Viewer: npm not found, 'isobar view' will say so; run tools/setup")
    endif()
elseif(ISOBAR_VIEWER)
    message(STATUS "Viewer: viewer/package.json not found, not built")
else()
    message(STATUS "Viewer: switched off (ISOBAR_VIEWER=OFF)")
endif()

set(isobar_embed "${CMAKE_SOURCE_DIR}/cmake/embed.py")
add_custom_command(
    OUTPUT "${ISOBAR_GENERATED_DIR}/isobar_viewer_html.c"
           "${ISOBAR_GENERATED_DIR}/isobar_viewer_html.h"
    COMMAND Python3::Interpreter "${isobar_embed}" isobar_viewer_html "${ISOBAR_GENERATED_DIR}"
            ${isobar_viewer_html}
    DEPENDS "${isobar_embed}" ${isobar_viewer_html}
    COMMENT "Embedding the web viewer"
    VERBATIM)
add_library(isobar_viewer_html STATIC EXCLUDE_FROM_ALL
            "${ISOBAR_GENERATED_DIR}/isobar_viewer_html.c"
            "${ISOBAR_GENERATED_DIR}/isobar_viewer_html.h")
target_include_directories(isobar_viewer_html PUBLIC "${ISOBAR_GENERATED_DIR}")
