#ifndef C_DESCRIPTORS_H
#define C_DESCRIPTORS_H

#include <stddef.h>

// The contract as protoc describes it, as its file has it: bytes that live as long as the process,
// and their count.
const unsigned char *contract_descriptors(size_t *count);

#endif
