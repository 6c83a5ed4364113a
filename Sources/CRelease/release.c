#include "CRelease.h"

// The version is a text of C, since only C takes a value from Package.swift. Another version
// compiles this file again, and nothing else.
const char *relation_release_version(void) { return RELATION_VERSION; }
