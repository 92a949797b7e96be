# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# The Python package. python/isobar is pure Python over the shared library: pip install . builds
# that (pyproject.toml, scikit-build-core) and puts it into the wheel beside the declarations which
# _headers.py makes from the public headers, the command (isobar/bin/isobar, which the script isobar
# becomes) and the viewer's page; tools/build_wheel adds the libraries that they need. In
# a source tree neither is needed: the package reads include/isobar itself and ISOBAR_LIBRARY names
# the library.
#   python/tests/test_*.py   pytest, one test py_package_<x> each, labels package and python

set(isobar_python_headers "${CMAKE_SOURCE_DIR}/python/isobar/_headers.py")

if(SKBUILD)
    set(ISOBAR_WHEEL_BUILD "" CACHE PATH
        "Build folder whose library, command and page go into the wheel; empty: they are built here")
    set(isobar_declarations "${ISOBAR_GENERATED_DIR}/python/_declarations.py")
    set(isobar_layout_check "${ISOBAR_GENERATED_DIR}/python/layout_check.c")
    file(GLOB isobar_public_headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/include/isobar/*.h")
    add_custom_command(
        OUTPUT "${isobar_declarations}" "${isobar_layout_check}"
        COMMAND "${Python3_EXECUTABLE}" "${isobar_python_headers}" "${CMAKE_SOURCE_DIR}/include"
                --declarations "${isobar_declarations}" --check "${isobar_layout_check}"
        DEPENDS "${isobar_python_headers}" ${isobar_public_headers}
        VERBATIM)
    # Compiles only where C and the declarations agree on every structure.
    add_library(isobar_python OBJECT "${isobar_layout_check}" "${isobar_declarations}")
    target_include_directories(isobar_python PRIVATE "${CMAKE_SOURCE_DIR}/include")
    if(ISOBAR_WHEEL_BUILD)
        get_filename_component(isobar_wheel_library # a link to the one with its version
            "${ISOBAR_WHEEL_BUILD}/lib/libisobar${CMAKE_SHARED_LIBRARY_SUFFIX}" REALPATH)
        set(isobar_wheel_command "${ISOBAR_WHEEL_BUILD}/bin/isobar")
        set(isobar_wheel_page "${ISOBAR_WHEEL_BUILD}/viewer/index.html")
    else()
        add_dependencies(isobar_python isobar isobar_cli)
        set(isobar_wheel_library "$<TARGET_FILE:isobar>")
        set(isobar_wheel_command "$<TARGET_FILE:isobar_cli>")
        set(isobar_wheel_page "${isobar_viewer_html}")
    endif()
    install(FILES "${isobar_declarations}" DESTINATION isobar COMPONENT python)
    install(FILES "${isobar_wheel_library}" DESTINATION isobar COMPONENT python
            RENAME "libisobar${CMAKE_SHARED_LIBRARY_SUFFIX}")
    install(PROGRAMS "${isobar_wheel_command}" DESTINATION isobar/bin COMPONENT python
            RENAME isobar)
    if(isobar_wheel_page)
        install(FILES "${isobar_wheel_page}" DESTINATION isobar COMPONENT python
                RENAME viewer.html OPTIONAL)
    endif()
endif()

if(ISOBAR_TESTS AND TARGET isobar_shared)
    file(GLOB isobar_python_tests CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/python/tests/test_*.py")
    foreach(source IN LISTS isobar_python_tests)
        get_filename_component(name "${source}" NAME_WE)
        string(REGEX REPLACE "^test_" "py_package_" name "${name}")
        add_test(NAME ${name} COMMAND "${ISOBAR_PYTHON}" -m pytest -q -rs -p no:cacheprovider
                 "${source}")
        isobar_test_environment(${name} package)
        set_property(TEST ${name} APPEND PROPERTY LABELS python)
        if(name MATCHES "^py_package_(wheel|gym)$") # the longest begin first
            set_tests_properties(${name} PROPERTIES COST 100)
        endif()
    endforeach()
endif()
