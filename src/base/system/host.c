// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE // getentropy(), gethostname(), sched_getaffinity()
#define _DARWIN_C_SOURCE
#define _CRT_RAND_S

#include "base/system/host.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <sched.h>
#include <sys/random.h>
#endif

long iso_process_number(void) {
    return (long)getpid();
}

int iso_processor_count(void) {
#if defined(_WIN32)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    long count = (long)info.dwNumberOfProcessors;
#elif defined(__linux__)
    cpu_set_t set;
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
#else
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return count < 1 ? 1 : (int)count;
}

bool iso_address_is_ipv4(const char* text, uint32_t* out_address) {
    struct in_addr address;
    bool is_one = inet_pton(AF_INET, text, &address) == 1;
    *out_address = is_one ? ntohl(address.s_addr) : 0;
    return is_one;
}

bool iso_address_is_ipv6(const char* text) {
    unsigned char address[16];
    return inet_pton(AF_INET6, text, address) == 1;
}

void iso_host_name(char* out_name, size_t size) {
    memset(out_name, 0, size);
#if defined(_WIN32)
    const char* name = getenv("COMPUTERNAME");
    strncpy(out_name, name ? name : "", size - 1);
#else
    (void)gethostname(out_name, size - 1);
#endif
}

bool iso_random_bytes(void* out_bytes, size_t size) {
#if defined(_WIN32)
    unsigned char* bytes = out_bytes;
    for (size_t i = 0; i < size; ++i) {
        unsigned number;
        if (rand_s(&number) != 0) {
            return false;
        }
        bytes[i] = (unsigned char)number;
    }
    return true;
#else
    return getentropy(out_bytes, size) == 0;
#endif
}
