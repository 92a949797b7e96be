# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# Programs: they see the public headers only. The benchmarks and the programs that studies of
# `make validate` run may look inside:
#   tests/validate/programs/<x>.c   bin/validate_<x>, one JSON object per line on stdout

# The command without main.c is a library, so that tests/cli can link it.
file(GLOB isobar_cli_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cli/*.c" "${CMAKE_SOURCE_DIR}/cli/*/*.c")
set(isobar_cli_main "${CMAKE_SOURCE_DIR}/cli/main.c")
list(REMOVE_ITEM isobar_cli_sources "${isobar_cli_main}")
if(WIN32)
    set(isobar_cli_sources "") # the command starts programs and processes as POSIX does
    set(isobar_cli_main "")
endif()
if(isobar_cli_sources)
    # In a wheel the command brings the library, which is called otherwise there.
    set(isobar_cli_library isobar)
    if(SKBUILD)
        set(isobar_cli_library isobar_static)
    endif()
    add_library(isobar_cli_lib STATIC EXCLUDE_FROM_ALL ${isobar_cli_sources})
    target_include_directories(isobar_cli_lib PUBLIC "${CMAKE_SOURCE_DIR}")
    target_link_libraries(isobar_cli_lib PUBLIC ${isobar_cli_library} isobar_viewer_html ${isobar_third_party_cli}
                                                m PRIVATE isobar_flags isobar_warnings)
endif()
if(EXISTS "${isobar_cli_main}")
    add_executable(isobar_cli "${isobar_cli_main}")
    set_target_properties(isobar_cli PROPERTIES OUTPUT_NAME isobar)
    if(BUILD_SHARED_LIBS AND NOT SKBUILD)
        # From bin of the build to its lib, from where it is installed to the library there.
        file(RELATIVE_PATH isobar_bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}"
             "${CMAKE_INSTALL_FULL_LIBDIR}")
        set(isobar_bin_to_lib "$ORIGIN/${isobar_bin_to_lib}" "$ORIGIN/../lib")
        list(REMOVE_DUPLICATES isobar_bin_to_lib)
        set_target_properties(isobar_cli PROPERTIES INSTALL_RPATH "${isobar_bin_to_lib}")
    endif()
    target_include_directories(isobar_cli PRIVATE "${CMAKE_SOURCE_DIR}")
    if(TARGET isobar_cli_lib)
        target_link_libraries(isobar_cli PRIVATE isobar_cli_lib)
    endif()
    target_link_libraries(isobar_cli PRIVATE ${isobar_cli_library} isobar_viewer_html
                                             ${isobar_third_party_cli} m isobar_flags
                                             isobar_warnings)
    install(TARGETS isobar_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

set(isobar_example_targets "")
if(ISOBAR_EXAMPLES AND NOT ISOBAR_FUZZ)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/examples/*.c")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(example_${name} "${source}")
        set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name})
        set_target_properties(example_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                         "${CMAKE_BINARY_DIR}/bin/examples"
                                                         INSTALL_RPATH
                                                         "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/../../lib>")
        target_link_libraries(example_${name} PRIVATE isobar m isobar_flags isobar_warnings)
        list(APPEND isobar_example_targets example_${name})
    endforeach()
endif()

if(ISOBAR_BENCHMARKS AND NOT ISOBAR_FUZZ AND NOT ISOBAR_SANITIZE)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/benchmarks/bench_*.c")
    file(GLOB shared CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/benchmarks/support/*.c")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(${name} "${source}" ${shared})
        target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}/src"
                                                   "${CMAKE_SOURCE_DIR}/benchmarks")
        target_link_libraries(${name} PRIVATE isobar_static m isobar_flags isobar_simd_flags
                                              isobar_warnings)
        target_compile_definitions(${name} PRIVATE ISOBAR_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                                   ISOBAR_BINARY_DIR="${CMAKE_BINARY_DIR}")
    endforeach()
endif()

# A peer of the benchmarks, where Debian's libsimbody-dev is installed; links nothing of Isobar.
if(ISOBAR_BENCHMARKS AND NOT ISOBAR_FUZZ AND NOT ISOBAR_SANITIZE)
    find_package(Simbody QUIET)
    if(Simbody_FOUND)
        enable_language(CXX)
        add_executable(bench_simbody "${CMAKE_SOURCE_DIR}/benchmarks/bench_simbody.cpp")
        set_target_properties(bench_simbody PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF)
        target_compile_options(bench_simbody PRIVATE -O2)
        target_include_directories(bench_simbody SYSTEM PRIVATE ${Simbody_INCLUDE_DIR})
        target_link_libraries(bench_simbody PRIVATE ${Simbody_LIBRARIES})
    endif()
endif()

if(ISOBAR_TESTS AND NOT ISOBAR_FUZZ AND NOT ISOBAR_SANITIZE)
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/validate/programs/*.c")
    foreach(source IN LISTS sources)
        get_filename_component(name "${source}" NAME_WE)
        add_executable(validate_${name} "${source}")
        target_include_directories(validate_${name} PRIVATE "${CMAKE_SOURCE_DIR}/src"
                                                            "${CMAKE_SOURCE_DIR}/tests")
        target_link_libraries(validate_${name} PRIVATE isobar_static m isobar_flags
                                                       isobar_simd_flags isobar_warnings)
        target_compile_definitions(validate_${name} PRIVATE
                                   ISOBAR_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                   ISOBAR_BINARY_DIR="${CMAKE_BINARY_DIR}")
    endforeach()
endif()
