// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Files that tests read and write.

#define TEST_PATH_SIZE 1024

/// Path of a robot or object model below ISOBAR_ASSETS (environment). Where that folder is absent
/// the running test is skipped with a message; where only the file is missing it fails.
const char* asset_path(char buffer[TEST_PATH_SIZE], const char* relative);

/// Path of a file of the source tree, e.g. "scenes/demo.yaml".
const char* source_path(char buffer[TEST_PATH_SIZE], const char* relative);

/// Path of a file that the test may write, in a folder of the build tree that belongs to this
/// process alone. The file need not exist.
const char* temp_path(char buffer[TEST_PATH_SIZE], const char* name);
