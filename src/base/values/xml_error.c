// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One flag for all rooms that read XML (base/values/xml_error.h); this room itself does without
// libxml2.

#include <pthread.h>

extern pthread_once_t iso_xml_once;
pthread_once_t iso_xml_once = PTHREAD_ONCE_INIT;
