// Tells ThreadSanitizer of Swift's Mutex where threads wait for each other.
//
// The fast path of a Mutex is inlined into its users, so the sanitizer sees its atomics. The slow
// path is in a library of the toolchain that is not instrumented. Without this file, all memory
// that a contended Mutex guards would look like a race. The linker finds these two functions before
// the library's own.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#include "RaceShim.h"

#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *place);
void __tsan_release(void *place);

typedef __attribute__((swiftcall)) void (*Lock)(uint32_t thread, SELF void *mutex);
typedef __attribute__((swiftcall)) void (*Unlock)(SELF void *mutex);

__attribute__((swiftcall)) void race_shim_lock(uint32_t, SELF void *) __asm__(LOCK);
__attribute__((swiftcall)) void race_shim_unlock(SELF void *) __asm__(UNLOCK);

__attribute__((swiftcall)) void race_shim_lock(uint32_t thread, SELF void *mutex) {
    ((Lock)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void race_shim_unlock(SELF void *mutex) {
    __tsan_release(mutex);
    ((Unlock)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
