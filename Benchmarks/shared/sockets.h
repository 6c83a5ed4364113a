/* What the benchmarks' programs in C do alike with sockets: bytes on their way, and epoll. */
#ifndef BENCHMARKS_SOCKETS_H
#define BENCHMARKS_SOCKETS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* `count` bytes at `at`, where there is room for `room`; all zero at first. */
struct bytes { uint8_t *at; size_t count, room; };

/* Adds bytes at the end. Without memory the program ends. */
static inline void append(struct bytes *to, const void *from, size_t count) {
    if (to->room - to->count < count) {
        to->room = 2 * (to->count + count);
        if (!(to->at = realloc(to->at, to->room))) abort();
    }
    memcpy(to->at + to->count, from, count);
    to->count += count;
}

/* Removes the first bytes. */
static inline void drop(struct bytes *from, size_t count) {
    memmove(from->at, from->at + count, from->count - count);
    from->count -= count;
}

/* Has `poller` tell when a socket has input, and, if `waits`, when it takes output again.

   `op` adds the socket or modifies what is awaited. `waited` is what was awaited last: no system
   call says the same again. Events carry `data`. */
static inline void await(int poller, int op, int socket, int waits, int *waited, void *data) {
    struct epoll_event event = {.events = EPOLLIN | (waits ? EPOLLOUT : 0), .data.ptr = data};
    if (op == EPOLL_CTL_MOD && *waited == waits) return;
    *waited = waits;
    epoll_ctl(poller, op, socket, &event);
}

#endif
