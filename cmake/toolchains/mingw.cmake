# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# Windows programs by mingw-w64 on Linux; tools/mingw_libraries makes the libraries they need. Tests
# run under Wine where it is found.

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
find_program(CMAKE_C_COMPILER NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc REQUIRED)
find_program(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
get_filename_component(isobar_mingw_default "${CMAKE_CURRENT_LIST_DIR}/../../build/mingw-libraries" ABSOLUTE)
set(ISOBAR_MINGW "${isobar_mingw_default}" CACHE PATH "Where tools/mingw_libraries has put the libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ISOBAR_MINGW)
set(CMAKE_FIND_ROOT_PATH "${ISOBAR_MINGW}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${ISOBAR_MINGW}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
find_program(isobar_wine NAMES wine64 wine PATHS /usr/lib/wine)
if(isobar_wine)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${isobar_wine}")
endif()
