#include "CContractText.h"

// The compiler of C copies the file into the program as it is, which that of Swift does slowly.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char bytes[] = {
#embed "../ContractText/contract.zz"
};

const unsigned char *contract_text(size_t *count) {
    *count = sizeof bytes;
    return bytes;
}
