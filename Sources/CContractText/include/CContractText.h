#ifndef C_CONTRACT_TEXT_H
#define C_CONTRACT_TEXT_H

#include <stddef.h>

// The contract with its comments, as its file has it: bytes that live as long as the process,
// and their count.
const unsigned char *contract_text(size_t *count);

#endif
