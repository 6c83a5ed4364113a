#ifndef C_RELEASE_H
#define C_RELEASE_H

// The version of this build, as Package.swift says it.
const char *relation_release_version(void);

#endif
