"""A clock of a test's own for a server with a folder: it goes on as the machine's does, and a test
moves it ahead. A server on a database goes by the clock of the database."""

import mmap
import struct
import subprocess
import time

# Each reading of the wall clock adds the seconds that stand in a file which both sides map. A second
# number behind them is for those who add to this source.
SOURCE = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <semaphore.h>
    #include <stdlib.h>
    #include <sys/mman.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>
    static volatile long *moved; // NULL without a file
    __attribute__((constructor)) static void open_clock(void) {
        const char *path = getenv("MOVED_CLOCK");
        int file = path ? open(path, O_RDONLY) : -1;
        if (file < 0) return;
        void *page = mmap(NULL, 2 * sizeof(long), PROT_READ, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) moved = page;
        close(file);
    }
    int clock_gettime(clockid_t id, struct timespec *now) {
        static int (*real)(clockid_t, struct timespec *);
        if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
        int code = real(id, now);
        if (code == 0 && moved && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
            now->tv_sec += *moved;
        return code;
    }
    int gettimeofday(struct timeval *now, void *zone) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        now->tv_sec = time.tv_sec;
        now->tv_usec = time.tv_nsec / 1000;
        return 0;
    }
    // The kernel waits by its own clock.
    int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
        static int (*real)(sem_t *, const struct timespec *);
        if (!real) real = dlsym(RTLD_NEXT, "sem_timedwait");
        struct timespec moved_back = *until;
        if (moved) moved_back.tv_sec -= *moved;
        return real(semaphore, &moved_back);
    }
    time_t time(time_t *place) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (place) *place = now.tv_sec;
        return now.tv_sec;
    }
"""


def build(library, source=SOURCE):
    """Makes a library for LD_PRELOAD; MOVED_CLOCK then names the file of two numbers."""
    path = library.with_suffix(".c")
    path.write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, path, "-ldl"], check=True)


class MovedClock:
    """The clock of the servers that are started with `wrapper`."""

    def __init__(self, folder):
        library, offset = folder / "clock.so", folder / "seconds"
        build(library)
        offset.write_bytes(bytes(16))
        with offset.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), 16)
        self.seconds = 0
        self.wrapper = ["env", f"LD_PRELOAD={library}", f"MOVED_CLOCK={offset}"]

    def move(self, seconds):
        """Moves the clock ahead, from the return on."""
        self.seconds += seconds
        self._page[:8] = struct.pack("q", self.seconds)

    @property
    def now_ms(self):
        return int((time.time() + self.seconds) * 1_000)

    def begin_day(self):
        """Moves it to some minutes after the next midnight (UTC), so that no day ends by itself."""
        self.move(86_400 - self.now_ms // 1_000 % 86_400 + 300)
