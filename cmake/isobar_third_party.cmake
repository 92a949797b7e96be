# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# Libraries outside the project. Each is looked for once; a room lists what it links in
# isobar_third_party_<room>. tools/setup installs all of them.

find_package(PkgConfig REQUIRED)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# pkg-config name -> imported target isobar_pkg::<name>
foreach(name qhull_r libxml-2.0 zlib yaml-0.1 jansson libpng libzstd)
    string(MAKE_C_IDENTIFIER "isobar_pkg_${name}" prefix)
    pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${name})
    add_library(isobar_pkg::${name} ALIAS PkgConfig::${prefix})
endforeach()

# SuiteSparse (AMD ordering, LDL factorisation) has no pkg-config file on Debian.
find_path(ISOBAR_SUITESPARSE_INCLUDE ldl.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(isobar_suitesparse INTERFACE)
target_include_directories(isobar_suitesparse SYSTEM INTERFACE
                           "$<BUILD_INTERFACE:${ISOBAR_SUITESPARSE_INCLUDE}>")
set(isobar_suitesparse_names ldl amd suitesparseconfig)
foreach(name IN LISTS isobar_suitesparse_names)
    find_library(ISOBAR_LIB_${name} ${name} REQUIRED)
    target_link_libraries(isobar_suitesparse INTERFACE "${ISOBAR_LIB_${name}}")
endforeach()

# CVODE of SUNDIALS (`method: cvode`) is optional; wheels, which go to other machines, leave it out.
if(SKBUILD)
    set(isobar_cvode_default OFF)
else()
    set(isobar_cvode_default ON)
endif()
option(ISOBAR_CVODE "Use CVODE of SUNDIALS where it is found" ${isobar_cvode_default})
set(isobar_cvode_names "")
if(ISOBAR_CVODE)
    find_path(ISOBAR_CVODE_INCLUDE cvode/cvode.h)
    set(isobar_cvode_names sundials_cvode sundials_nvecserial sundials_sunmatrixdense
                           sundials_sunlinsoldense)
    set(isobar_cvode_libraries "")
    foreach(name IN LISTS isobar_cvode_names)
        find_library(ISOBAR_LIB_${name} ${name})
        list(APPEND isobar_cvode_libraries "${ISOBAR_LIB_${name}}")
    endforeach()
    if(ISOBAR_CVODE_INCLUDE AND NOT isobar_cvode_libraries MATCHES "NOTFOUND")
        add_library(isobar_cvode INTERFACE)
        target_include_directories(isobar_cvode SYSTEM INTERFACE
                                   "$<BUILD_INTERFACE:${ISOBAR_CVODE_INCLUDE}>")
        target_compile_definitions(isobar_cvode INTERFACE ISO_HAS_CVODE)
        target_link_libraries(isobar_cvode INTERFACE ${isobar_cvode_libraries})
        set(isobar_third_party_integrator isobar_cvode)
    else()
        set(isobar_cvode_names "")
        message(STATUS "No SUNDIALS: built without the method cvode")
    endif()
endif()

# What the friction laboratory takes where it is found: libsvm (support vectors), HDF5 (files of
# FCLIB). Wheels go without HDF5, which brings thirty libraries along.
option(ISOBAR_LAB_LIBRARIES "Use libsvm and HDF5 where they are found" ON)
option(ISOBAR_HDF5 "Use HDF5 where the laboratory's libraries are used" ${isobar_cvode_default})
set(isobar_lab_libraries "")
set(isobar_lab_names "")
if(ISOBAR_LAB_LIBRARIES)
    find_path(ISOBAR_LIBSVM_INCLUDE libsvm/svm.h)
    find_library(ISOBAR_LIB_svm svm)
    if(ISOBAR_LIBSVM_INCLUDE AND ISOBAR_LIB_svm)
        add_library(isobar_libsvm INTERFACE)
        target_include_directories(isobar_libsvm SYSTEM INTERFACE
                                   "$<BUILD_INTERFACE:${ISOBAR_LIBSVM_INCLUDE}>")
        target_compile_definitions(isobar_libsvm INTERFACE ISO_HAS_LIBSVM)
        target_link_libraries(isobar_libsvm INTERFACE "${ISOBAR_LIB_svm}")
        list(APPEND isobar_lab_libraries isobar_libsvm)
        list(APPEND isobar_lab_names svm)
    else()
        message(STATUS "No libsvm: built without support vectors of friction")
    endif()
    if(ISOBAR_HDF5)
        pkg_check_modules(isobar_hdf5 QUIET IMPORTED_TARGET GLOBAL hdf5-serial)
    endif()
    if(isobar_hdf5_FOUND)
        find_library(ISOBAR_LIB_hdf5_serial NAMES hdf5 HINTS ${isobar_hdf5_LIBRARY_DIRS}
                     NO_DEFAULT_PATH)
        # Itself, beside the system's libraries, where the loader looks without being told.
        get_filename_component(isobar_hdf5_file "${ISOBAR_LIB_hdf5_serial}" REALPATH)
        add_library(isobar_hdf5 INTERFACE)
        target_include_directories(isobar_hdf5 SYSTEM INTERFACE
                                   "$<BUILD_INTERFACE:${isobar_hdf5_INCLUDE_DIRS}>")
        target_compile_definitions(isobar_hdf5 INTERFACE ISO_HAS_HDF5)
        target_link_libraries(isobar_hdf5 INTERFACE "${isobar_hdf5_file}")
        list(APPEND isobar_lab_libraries isobar_hdf5)
        list(APPEND isobar_lab_names hdf5_serial)
    else()
        message(STATUS "No HDF5: built without files of FCLIB")
    endif()
endif()

# libwebsockets (`isobar live`) is optional.
option(ISOBAR_LIVE "Serve live views where libwebsockets is found" ON)
set(isobar_third_party_live isobar_pkg::jansson)
set(isobar_live_requires "")
if(ISOBAR_LIVE)
    pkg_check_modules(isobar_pkg_libwebsockets IMPORTED_TARGET GLOBAL libwebsockets)
    if(isobar_pkg_libwebsockets_FOUND)
        add_library(isobar_websockets INTERFACE)
        target_compile_definitions(isobar_websockets INTERFACE ISO_HAS_LIVE)
        target_link_libraries(isobar_websockets INTERFACE PkgConfig::isobar_pkg_libwebsockets)
        list(APPEND isobar_third_party_live isobar_websockets)
        set(isobar_live_requires libwebsockets)
    else()
        message(STATUS "No libwebsockets: built without isobar live; install libwebsockets-dev")
    endif()
endif()

# assimp (.gltf, .dae, .ply) is optional.
option(ISOBAR_ASSIMP "Read meshes through assimp" ON)
set(isobar_assimp "")
set(isobar_assimp_requires "")
if(ISOBAR_ASSIMP)
    pkg_check_modules(isobar_pkg_assimp REQUIRED IMPORTED_TARGET GLOBAL assimp)
    add_library(isobar_pkg::assimp ALIAS PkgConfig::isobar_pkg_assimp)
    set(isobar_assimp isobar_pkg::assimp)
    file(GLOB isobar_assimp_sources "${CMAKE_SOURCE_DIR}/src/geometry/mesh_files/assimp_*.c")
    set_source_files_properties(${isobar_assimp_sources} PROPERTIES COMPILE_DEFINITIONS ISO_HAS_ASSIMP)
    set(isobar_assimp_requires assimp)
endif()

set(isobar_third_party_base Threads::Threads isobar_pkg::libpng m)
if(WIN32)
    list(APPEND isobar_third_party_base ws2_32)
endif()
set(isobar_third_party_geometry ${isobar_assimp} isobar_pkg::qhull_r isobar_pkg::libxml-2.0
                                isobar_pkg::zlib)
set(isobar_third_party_field isobar_suitesparse)
set(isobar_third_party_scene isobar_pkg::libxml-2.0 isobar_pkg::yaml-0.1 isobar_pkg::jansson)
set(isobar_third_party_record isobar_pkg::jansson isobar_pkg::libzstd isobar_pkg::zlib)
set(isobar_third_party_asperity isobar_pkg::zlib isobar_pkg::jansson isobar_suitesparse
    ${isobar_lab_libraries})
set(isobar_third_party_cli isobar_pkg::jansson)

# The same for users of an installed static libisobar: isobar.pc and isobarConfig.cmake.
set(isobar_pkg_config_requires ${isobar_assimp_requires} qhull_r libxml-2.0 zlib yaml-0.1 jansson libpng libzstd
                               ${isobar_live_requires})
