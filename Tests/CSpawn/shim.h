#include <spawn.h>

// The C library declares it only to programs that ask for GNU's additions, which Swift does not.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
