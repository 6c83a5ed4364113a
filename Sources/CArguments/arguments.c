#include "CArguments.h"

static int count = 0;
static char **values = 0;

// The system gives what the process was started with to each function that runs before main. Swift
// looks for the arguments beside the environment, and does not find them when another such function
// has moved the environment, as libfaketime does.
__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    values = argv;
}

int relation_argument_count(void) { return count; }

const char *relation_argument(int index) {
    return index >= 0 && index < count ? values[index] : 0;
}
