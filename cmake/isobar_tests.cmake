# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests are found, not listed, in tests/<dir> and in folders of it:
#   tests/<dir>/test_<x>.c    executable and test test_<dir>_<x>, label <dir>; where <dir> is a room
#                             it links that room with what lies below, otherwise all of Isobar
#   tests/<dir>/test_<x>.py   script run with Python, test py_<dir>_<x>, labels <dir> and python
#   tests/fuzz/fuzz_<x>.c     with ISOBAR_FUZZ a libFuzzer executable fuzz_<x>, otherwise a program
#                             that replays tests/fuzz/corpus/<x>/*, test fuzz_corpus_<x>, and under
#                             a sanitizer runs 5000 inputs drawn from them
#   examples/<x>.c            run from the source directory, test example_<x>, label examples
# A C test that names thread_count, starts a thread or makes a pool of several has the label threads too.
# A test that ends with exit code 77 counts as skipped; <test>_with_<library> does where that is missing.

pkg_check_modules(isobar_cmocka REQUIRED IMPORTED_TARGET cmocka)

set(isobar_assets_default "${CMAKE_SOURCE_DIR}/../shared/assets")
if(DEFINED ENV{ISOBAR_ASSETS})
    set(isobar_assets_default "$ENV{ISOBAR_ASSETS}")
endif()
set(ISOBAR_ASSETS "${isobar_assets_default}" CACHE PATH
    "Robot and object models for the tests; tests that need them are skipped where it is absent")

# Python with the packages of tools/setup when that has made them, else the system's.
set(isobar_venv_python "${CMAKE_SOURCE_DIR}/build/venv/bin/python3")
if(NOT EXISTS "${isobar_venv_python}")
    set(isobar_venv_python "${Python3_EXECUTABLE}")
endif()
set(ISOBAR_PYTHON "${isobar_venv_python}" CACHE FILEPATH "Python that runs the tests")

# These rooms are used through the public API, which all of Isobar implements.
set(isobar_rooms_testing_everything world task scene record live sweep learn)

add_library(isobar_test_flags INTERFACE)
target_link_libraries(isobar_test_flags INTERFACE isobar_flags isobar_simd_flags isobar_warnings)
target_include_directories(isobar_test_flags INTERFACE
    "${CMAKE_SOURCE_DIR}/include" "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/tests")
if(ISOBAR_SANITIZE)
    # gcc needs up to a minute to optimise one instrumented test; the library is optimised, and is
    # what the checks of undefined behaviour, a third of the compiling, are for.
    target_compile_options(isobar_test_flags INTERFACE -O0 -fno-sanitize=undefined)
endif()
target_compile_definitions(isobar_test_flags INTERFACE
    ISOBAR_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ISOBAR_BINARY_DIR="${CMAKE_BINARY_DIR}")

file(GLOB isobar_support_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/support/*.c")
list(FILTER isobar_support_sources EXCLUDE REGEX "/(fuzz_replay|race)\\.c$")
if(isobar_support_sources)
    add_library(isobar_test_support STATIC EXCLUDE_FROM_ALL ${isobar_support_sources})
    target_link_libraries(isobar_test_support PUBLIC PkgConfig::isobar_cmocka m
                                              PRIVATE isobar_test_flags)
else()
    add_library(isobar_test_support INTERFACE)
    target_link_libraries(isobar_test_support INTERFACE PkgConfig::isobar_cmocka m)
endif()

function(isobar_test_environment name directory)
    set_tests_properties(${name} PROPERTIES
        TIMEOUT 1800
        SKIP_RETURN_CODE 77
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    set_property(TEST ${name} APPEND PROPERTY LABELS ${directory})
    set_property(TEST ${name} PROPERTY ENVIRONMENT
        "ISOBAR_ASSETS=${ISOBAR_ASSETS}"
        "ISOBAR_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
        "ISOBAR_BINARY_DIR=${CMAKE_BINARY_DIR}"
        "ISOBAR_LIBRARY=${CMAKE_BINARY_DIR}/lib/libisobar.so"
        "PYTHONPATH=${CMAKE_SOURCE_DIR}/python"
        "PYTHONDONTWRITEBYTECODE=1"
        "PATH=${CMAKE_BINARY_DIR}/bin:$ENV{PATH}")
endfunction()

# The first folder below tests/.
function(isobar_test_directory source result)
    file(RELATIVE_PATH path "${CMAKE_SOURCE_DIR}/tests" "${source}")
    string(REGEX REPLACE "/.*" "" directory "${path}")
    set(${result} "${directory}" PARENT_SCOPE)
endfunction()

# Says in each run that the part of a test that needs a library is not there.
function(isobar_skipped_test name directory library)
    add_test(NAME ${name}_with_${library}
             COMMAND sh -c "echo 'skipped: built without ${library}'; exit 77")
    isobar_test_environment(${name}_with_${library} ${directory})
endfunction()

# What `make test-tsan` builds and, by the label, runs.
add_custom_target(isobar_thread_tests)

file(GLOB isobar_test_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/*/test_*.c"
     "${CMAKE_SOURCE_DIR}/tests/*/*/test_*.c")
foreach(source IN LISTS isobar_test_sources)
    isobar_test_directory("${source}" directory)
    get_filename_component(name "${source}" NAME_WE)
    if(directory STREQUAL "support")
        continue()
    endif()
    if(WIN32)
        file(STRINGS "${source}" names_posix LIMIT_COUNT 1
             REGEX "#include <(dirent|fcntl|ftw|poll|pthread|sched|signal|sys/.*|unistd).h>|open_memstream|setenv")
        if(names_posix OR directory STREQUAL "cli")
            continue()
        endif()
    endif()
    string(REGEX REPLACE "^test_" "test_${directory}_" name "${name}")
    add_executable(${name} "${source}")
    if(directory IN_LIST isobar_rooms AND NOT directory IN_LIST isobar_rooms_testing_everything)
        set(subject isobar_${directory})
    else()
        set(subject isobar_static)
    endif()
    if(directory STREQUAL "cli" AND TARGET isobar_cli_lib)
        list(PREPEND subject isobar_cli_lib)
    endif()
    target_link_libraries(${name} PRIVATE isobar_test_flags isobar_test_support ${subject}
                                          ${isobar_third_party_${directory}} m)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                             "${CMAKE_BINARY_DIR}/tests")
    add_test(NAME ${name} COMMAND ${name})
    isobar_test_environment(${name} ${directory})
    file(STRINGS "${source}" names_threads LIMIT_COUNT 1
         REGEX "thread_count|pthread_create|iso_task_pool_create\\([^,]*, [^1]")
    if(names_threads)
        set_property(TEST ${name} APPEND PROPERTY LABELS threads)
        add_dependencies(isobar_thread_tests ${name})
    endif()
endforeach()

# siconos-numerics, an oracle of complementarity where it is found; nothing else links it. It leaks, so
# sanitizers go without.
find_path(ISOBAR_SICONOS_INCLUDE siconos/numerics/NonSmoothDrivers.h)
find_library(ISOBAR_LIB_siconos siconos_numerics)
if(ISOBAR_SICONOS_INCLUDE AND ISOBAR_LIB_siconos AND NOT ISOBAR_SANITIZE)
    target_compile_definitions(test_solver_complementarity PRIVATE ISO_HAS_SICONOS)
    target_include_directories(test_solver_complementarity SYSTEM PRIVATE
                               "${ISOBAR_SICONOS_INCLUDE}" "${ISOBAR_SICONOS_INCLUDE}/siconos"
                               "${ISOBAR_SICONOS_INCLUDE}/siconos/numerics")
    target_link_libraries(test_solver_complementarity PRIVATE "${ISOBAR_LIB_siconos}")
else()
    isobar_skipped_test(test_solver_complementarity solver siconos-numerics)
endif()
if(NOT TARGET isobar_hdf5)
    isobar_skipped_test(test_asperity_fclib asperity HDF5)
endif()
if(NOT TARGET isobar_libsvm)
    isobar_skipped_test(test_asperity_learned asperity libsvm)
endif()

if(ISOBAR_SANITIZE STREQUAL "thread")
    add_executable(isobar_race "${CMAKE_SOURCE_DIR}/tests/support/race.c")
    set_target_properties(isobar_race PROPERTIES OUTPUT_NAME race RUNTIME_OUTPUT_DIRECTORY
                                                 "${CMAKE_BINARY_DIR}/tests")
    target_link_libraries(isobar_race PRIVATE isobar_test_flags)
    add_dependencies(isobar_thread_tests isobar_race isobar_cli)
    file(GLOB isobar_thread_scenes CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/scenes/peers/*.yaml")
    foreach(scene IN LISTS isobar_thread_scenes)
        get_filename_component(name "${scene}" NAME_WE)
        file(STRINGS "${scene}" names_assets REGEX "package://" LIMIT_COUNT 1)
        foreach(friction regularized stick)
            add_test(NAME threads_${name}_${friction}
                     COMMAND isobar_cli run "${scene}" --quiet --threads 2 --until 0.1
                             --set simulation.friction=${friction})
            isobar_test_environment(threads_${name}_${friction} threads)
            if(names_assets AND NOT EXISTS "${ISOBAR_ASSETS}")
                set_tests_properties(threads_${name}_${friction} PROPERTIES DISABLED TRUE)
            endif()
        endforeach()
    endforeach()
endif()

if(WIN32)
    return() # scripts and fuzz targets ask for more than C, and for the command
endif()
file(GLOB isobar_test_scripts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/*/test_*.py"
     "${CMAKE_SOURCE_DIR}/tests/*/*/test_*.py")
foreach(source IN LISTS isobar_test_scripts)
    isobar_test_directory("${source}" directory)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^test_" "py_${directory}_" name "${name}")
    add_test(NAME ${name} COMMAND "${ISOBAR_PYTHON}"
             "${CMAKE_SOURCE_DIR}/tests/support/run_script.py" "${source}")
    isobar_test_environment(${name} ${directory})
    set_property(TEST ${name} APPEND PROPERTY LABELS python)
endforeach()

add_custom_target(isobar_fuzz_targets)
if(ISOBAR_SANITIZE)
    set(isobar_fuzz_drawn 2 1 5000) # seconds at most, the first seed, seeds at most
else()
    set(isobar_fuzz_drawn 0)
endif()
file(GLOB isobar_fuzz_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
foreach(source IN LISTS isobar_fuzz_sources)
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" subject "${name}")
    if(ISOBAR_FUZZ)
        add_executable(${name} "${source}")
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    else()
        add_executable(${name} "${source}" "${CMAKE_SOURCE_DIR}/tests/support/fuzz_replay.c")
        add_test(NAME fuzz_corpus_${subject}
                 COMMAND ${name} "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${subject}"
                         ${isobar_fuzz_drawn})
        isobar_test_environment(fuzz_corpus_${subject} fuzz)
    endif()
    target_link_libraries(${name} PRIVATE isobar_test_flags isobar_test_support isobar_static
                                          ${isobar_third_party_all})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                             "${CMAKE_BINARY_DIR}/fuzz")
    add_dependencies(isobar_fuzz_targets ${name})
endforeach()

foreach(target IN LISTS isobar_example_targets)
    add_test(NAME ${target} COMMAND ${target})
    isobar_test_environment(${target} examples)
endforeach()

# The longest begin first, so that none of them runs alone at the end.
foreach(name py_viewer_page py_package_wheel py_live_page py_viewer_render py_install_install
             py_install_hardening py_cli_prepare py_cli_lab py_tutorials_tutorials py_package_api py_cli_cli
             test_world_islands test_world_batch test_contact_search_threads test_surface_walk
             test_world_friction_laws test_world_adaptive test_world_events test_world_brush
             test_world_blows test_world_state test_task_mover test_prepare_prepare)
    if(TEST ${name})
        set_tests_properties(${name} PROPERTIES COST 100)
    endif()
endforeach()
