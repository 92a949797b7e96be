// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One flag for all rooms that read XML (base/values/xml_error.h); this room itself does without
// libxml2.

#include "base/core/thread.h"

extern iso_once iso_xml_once;
iso_once iso_xml_once = {PTHREAD_ONCE_INIT};
