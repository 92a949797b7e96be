# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# make install: headers, library, isobar.pc for pkg-config, isobarConfig.cmake for find_package, the
# pages of docs and the schema of scenarios.

include(CMakePackageConfigHelpers)

install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/isobar" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(TARGETS isobar
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        FILES_MATCHING PATTERN "*.md" PATTERN "*.bib" PATTERN "*.json" PATTERN "*.jpg"
        PATTERN "*.svg"
        PATTERN "man" EXCLUDE)

list(JOIN isobar_pkg_config_requires " " isobar_pc_requires)
set(isobar_pc_private_libs "")
foreach(name IN LISTS isobar_suitesparse_names isobar_cvode_names isobar_lab_names)
    string(APPEND isobar_pc_private_libs " -l${name}")
endforeach()
string(APPEND isobar_pc_private_libs " ${CMAKE_THREAD_LIBS_INIT}")
if(BUILD_SHARED_LIBS)
    set(isobar_pc_private ".private")
    set(isobar_pc_libs " -lm") # inline functions of the headers take roots
    set(isobar_config_dependencies "")
else()
    # A static library hands its own libraries on to whoever links it.
    set(isobar_pc_private "")
    set(isobar_pc_libs "${isobar_pc_private_libs} -lm")
    set(isobar_pc_private_libs "")
    list(JOIN isobar_suitesparse_names " " isobar_config_libraries)
    list(JOIN isobar_cvode_names " " isobar_config_cvode)
    list(JOIN isobar_lab_names " " isobar_config_lab)
    string(STRIP "${isobar_config_libraries} ${isobar_config_cvode} ${isobar_config_lab}"
           isobar_config_libraries)
    set(isobar_config_dependencies ON)
endif()
# Relative, so that the installed tree may be moved and cmake --install --prefix works.
file(RELATIVE_PATH isobar_pc_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" isobar_pc_to_prefix "${isobar_pc_to_prefix}")
configure_file("${CMAKE_SOURCE_DIR}/cmake/isobar.pc.in" "${CMAKE_BINARY_DIR}/isobar.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/isobar.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(isobar_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/isobar")
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/isobarConfig.cmake.in"
                              "${CMAKE_BINARY_DIR}/isobarConfig.cmake"
                              INSTALL_DESTINATION "${isobar_config_dir}"
                              PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/isobarConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/isobarConfig.cmake"
              "${CMAKE_BINARY_DIR}/isobarConfigVersion.cmake"
        DESTINATION "${isobar_config_dir}")
file(GLOB isobar_man_pages CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/docs/man/*.1")
install(FILES ${isobar_man_pages} DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
