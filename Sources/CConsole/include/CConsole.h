#ifndef C_CONSOLE_H
#define C_CONSOLE_H

#include <stddef.h>

// A file of the console, with its path below the folder of all files. Path and bytes live as long
// as the process.
struct console_file {
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

// How many files there are.
size_t console_file_count(void);

// A file, by an index below their count.
struct console_file console_file_at(size_t index);

#endif
