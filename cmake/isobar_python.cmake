# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# The Python package. python/isobar is pure Python over the shared library: pip install . builds
# that (pyproject.toml, scikit-build-core) and puts it into the wheel beside the declarations which
# _headers.py makes from the public headers; tools/build_wheel adds the libraries that it needs. In
# a source tree neither is needed: the package reads include/isobar itself and ISOBAR_LIBRARY names
# the library.
#   python/tests/test_*.py   pytest, one test py_package_<x> each, labels package and python

set(isobar_python_headers "${CMAKE_SOURCE_DIR}/python/isobar/_headers.py")

if(SKBUILD)
    set(ISOBAR_WHEEL_LIBRARY "" CACHE FILEPATH "Goes into the wheel instead of a libisobar built here")
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
    if(NOT ISOBAR_WHEEL_LIBRARY)
        add_dependencies(isobar_python isobar)
        set(ISOBAR_WHEEL_LIBRARY "$<TARGET_FILE:isobar>")
    endif()
    install(FILES "${isobar_declarations}" DESTINATION isobar COMPONENT python)
    install(FILES "${ISOBAR_WHEEL_LIBRARY}" DESTINATION isobar COMPONENT python
            RENAME "libisobar${CMAKE_SHARED_LIBRARY_SUFFIX}")
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
    endforeach()
endif()
