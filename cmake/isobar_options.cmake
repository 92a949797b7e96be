# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# How every C file is compiled. Results are the same bits at every optimisation level and on every
# SIMD back end, so nothing here may let the compiler change a value: no -ffast-math, no contraction.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or Sanitize" FORCE)
endif()
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Functions begin at lines of the cache, so that no change moves the loops of others within them.
set(CMAKE_C_FLAGS_RELEASE "-O3 -falign-functions=64")
set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

# SIMD back end of math/lanes_f64x4.h. AVX-512 is AVX2 with more registers and masks: four lanes, the same
# bits, 3 to 11 % less time. It is taken where the building machine has it; programs for other
# machines are built with ISOBAR_SIMD=avx2.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(isobar_simd_kinds avx512 avx2 scalar)
    set(isobar_simd_native avx2)
    if(NOT DEFINED ISOBAR_SIMD AND NOT CMAKE_CROSSCOMPILING)
        include(CheckCSourceRuns)
        set(isobar_saved_definitions "${CMAKE_REQUIRED_DEFINITIONS}")
        set(isobar_saved_includes "${CMAKE_REQUIRED_INCLUDES}")
        set(CMAKE_REQUIRED_DEFINITIONS -DISO_SIMD_AVX2=1 -DISO_SIMD_AVX512=1)
        set(CMAKE_REQUIRED_INCLUDES "${CMAKE_CURRENT_SOURCE_DIR}/src")
        check_c_source_runs("#include \"base/core/processor.h\"
            int main(void) { return iso_processor_has_simd() ? 0 : 1; }" ISOBAR_HAS_AVX512)
        set(CMAKE_REQUIRED_DEFINITIONS "${isobar_saved_definitions}")
        set(CMAKE_REQUIRED_INCLUDES "${isobar_saved_includes}")
        if(ISOBAR_HAS_AVX512)
            set(isobar_simd_native avx512)
        endif()
    endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(isobar_simd_kinds neon scalar)
    set(isobar_simd_native neon)
else()
    set(isobar_simd_kinds scalar)
    set(isobar_simd_native scalar)
endif()
set(ISOBAR_SIMD "${isobar_simd_native}" CACHE STRING "SIMD back end: avx512, avx2, neon or scalar")
set_property(CACHE ISOBAR_SIMD PROPERTY STRINGS ${isobar_simd_kinds})
if(NOT ISOBAR_SIMD IN_LIST isobar_simd_kinds)
    string(REPLACE ";" " or " isobar_simd_kinds "${isobar_simd_kinds}")
    message(FATAL_ERROR "ISOBAR_SIMD is '${ISOBAR_SIMD}', expected ${isobar_simd_kinds} for the "
                        "target processor ${CMAKE_SYSTEM_PROCESSOR}")
endif()
message(STATUS "SIMD back end: ${ISOBAR_SIMD}")

# What all C files share. gcc 12 fuses products with alternating sums when it vectorises straight-line
# code, whatever -ffp-contract says.
add_library(isobar_flags INTERFACE)
target_compile_options(isobar_flags INTERFACE -ffp-contract=off -fno-math-errno
                                        -fno-tree-slp-vectorize)
string(TOUPPER "${ISOBAR_SIMD}" isobar_simd_upper)
target_compile_definitions(isobar_flags INTERFACE _POSIX_C_SOURCE=200809L
                                                  ISO_SIMD_${isobar_simd_upper}=1
                                                  $<$<STREQUAL:${ISOBAR_SIMD},avx512>:ISO_SIMD_AVX2=1>)

# Instructions of the back end: every room except base, which must be able to say that the processor
# lacks them.
add_library(isobar_simd_flags INTERFACE)
if(ISOBAR_SIMD MATCHES "^avx")
    target_compile_options(isobar_simd_flags INTERFACE -mavx2 -mfma -mbmi -mbmi2 -mpopcnt)
endif()
if(ISOBAR_SIMD STREQUAL "avx512")
    target_compile_options(isobar_simd_flags INTERFACE -mavx512f -mavx512vl -mavx512dq -mavx512bw
                                                       -mavx512cd -mprefer-vector-width=256)
endif()

add_library(isobar_warnings INTERFACE)
target_compile_options(isobar_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                                 -Wstrict-prototypes)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # gcc checks conversions of sign without clang's complaint about every enumeration used as int.
    target_compile_options(isobar_warnings INTERFACE -Wno-sign-conversion)
endif()
if(ISOBAR_WERROR)
    target_compile_options(isobar_warnings INTERFACE -Werror)
endif()

# A fault must not become somebody's program: canaries on the stack, checked copies (they need an
# optimiser; sanitizers check more), programs at random addresses, tables of addresses that are
# filled before main() and read-only from then on. docs/decisions/code/build.md has what it costs.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
add_compile_options(-fstack-protector-strong)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ISOBAR_SANITIZE)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
if(NOT APPLE AND NOT WIN32)
    add_link_options(-Wl,-z,relro,-z,now)
endif()
if(WIN32)
    add_link_options(-fstack-protector-strong) # links what the canaries call
endif()
# The place of a library is written into what needs it as it is installed, at once: CMake would fill
# the field of the build with colons, and an empty entry means the current folder.
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON) # libraries that are not where the system looks
if(BUILD_SHARED_LIBS AND NOT SKBUILD)
    set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib") # programs; beside the libraries none is needed
endif()

if(ISOBAR_SANITIZE)
    # Everything that is linked must carry the runtime, hence directory-wide.
    add_compile_options(-fsanitize=${ISOBAR_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ISOBAR_SANITIZE} -fno-sanitize-recover=all)
    # Hundreds of test programs are linked: gold takes half the time.
    find_program(ISOBAR_LD_GOLD ld.gold)
    if(ISOBAR_LD_GOLD)
        add_link_options(-fuse-ld=gold)
    endif()
endif()
if(ISOBAR_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "ISOBAR_FUZZ needs clang, the compiler is ${CMAKE_C_COMPILER_ID}; "
                            "use: cmake --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ISOBAR_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_definitions(isobar_flags INTERFACE ISO_ENABLE_ASSERT=1 ISO_ENABLE_VALIDATE=1)
endif()
