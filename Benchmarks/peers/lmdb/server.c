/* Look-ups in LMDB over Redis' protocol, one thread: SADD and SMISMEMBER, and nothing else.
   A set's member is a key, the set's name and the member with a zero byte between them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <lmdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../../shared/sockets.h"

enum { INPUT = 1 << 18, WORDS = 4096, EVENTS = 256, KEY = 512 };
static const size_t MAP = (size_t)8 << 30;

/* `in` is what has come and is not a whole command yet; `out` is what the socket did not take. */
struct connection { int socket, waits; struct bytes in, out; };
struct word { const char *at; size_t count; };

static MDB_env *environment;
static MDB_dbi table;
static MDB_txn *reader;
static int poller;
static struct word words[WORDS];

static void need(int result, const char *what) {
    if (result) {
        fprintf(stderr, "%s: %s\n", what, mdb_strerror(result));
        exit(1);
    }
}

/* Reads MARK, a number and a line's end at `*at`: 1, or 0 if they are not there yet, or -1. */
static int number(const char **at, const char *end, char mark, size_t *value) {
    const char *line = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (!line) return end - *at > 32 ? -1 : 0;
    if (**at != mark || line - *at < 3 || line[-1] != '\r') return -1;
    *value = 0;
    for (const char *digit = *at + 1; digit < line - 1; digit++) {
        if (*digit < '0' || *digit > '9' || *value > 1 << 20) return -1;
        *value = *value * 10 + (size_t)(*digit - '0');
    }
    *at = line + 1;
    return 1;
}

/* Reads a command into `words`: their number, or 0 if it is not whole yet, or -1. */
static int command(const char **at, const char *end) {
    const char *here = *at;
    size_t count, length;
    int state = number(&here, end, '*', &count);
    if (state < 1) return state;
    if (count < 1 || count > WORDS) return -1;
    for (size_t i = 0; i < count; i++) {
        if ((state = number(&here, end, '$', &length)) < 1) return state;
        if ((size_t)(end - here) < length + 2) return 0;
        words[i] = (struct word){here, length};
        here += length + 2;
    }
    *at = here;
    return (int)count;
}

/* The key of a member; the set's name stands in `key` already, with its zero byte. */
static int member_key(char *key, size_t name, const struct word *member, MDB_val *value) {
    if (name + member->count > KEY - 1) return 0;
    memcpy(key + name, member->at, member->count);
    *value = (MDB_val){name + member->count, key};
    return 1;
}

static int answer(struct bytes *out, int count) {
    static const char SADD[] = "SADD", SMISMEMBER[] = "SMISMEMBER";
    char key[KEY], text[32];
    if (count < 3 || words[1].count > KEY / 2) return 0;
    size_t name = words[1].count + 1;
    memcpy(key, words[1].at, words[1].count);
    key[name - 1] = 0;
    if (words[0].count == 4 && !memcmp(words[0].at, SADD, 4)) {
        MDB_txn *writer;
        MDB_val at, value = {1, "1"};
        int added = 0;
        need(mdb_txn_begin(environment, NULL, 0, &writer), "a write");
        for (int i = 2; i < count; i++) {
            if (!member_key(key, name, &words[i], &at)) {
                mdb_txn_abort(writer);
                return 0;
            }
            int result = mdb_put(writer, table, &at, &value, MDB_NOOVERWRITE);
            if (result && result != MDB_KEYEXIST) need(result, "a row");
            added += !result;
        }
        need(mdb_txn_commit(writer), "a commit");
        append(out, text, (size_t)snprintf(text, sizeof text, ":%d\r\n", added));
        return 1;
    }
    if (words[0].count != 10 || memcmp(words[0].at, SMISMEMBER, 10)) return 0;
    append(out, text, (size_t)snprintf(text, sizeof text, "*%d\r\n", count - 2));
    need(mdb_txn_renew(reader), "a read");
    for (int i = 2; i < count; i++) {
        MDB_val at, value;
        int result = member_key(key, name, &words[i], &at)
            ? mdb_get(reader, table, &at, &value) : MDB_NOTFOUND;
        if (result && result != MDB_NOTFOUND) need(result, "a look-up");
        append(out, result ? ":0\r\n" : ":1\r\n", 4);
    }
    mdb_txn_reset(reader);
    return 1;
}

static void end(struct connection *connection) {
    close(connection->socket);
    free(connection->in.at);
    free(connection->out.at);
    free(connection);
}

/* Reads what has come, answers all whole commands, and writes: 0 at the connection's end. */
static int advance(struct connection *connection) {
    static char input[INPUT];
    ssize_t count = recv(connection->socket, input, sizeof input, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return 0;
    if (count > 0) append(&connection->in, input, (size_t)count);
    const char *at = (const char *)connection->in.at, *last = at + connection->in.count;
    int length = 0;
    while (at < last && (length = command(&at, last)) > 0)
        if (!answer(&connection->out, length)) return 0;
    if (length < 0) return 0;
    if (connection->in.count) drop(&connection->in, (size_t)(at - (const char *)connection->in.at));
    while (connection->out.count) {
        count = send(connection->socket, connection->out.at, connection->out.count,
            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (count < 0) return 0;
        drop(&connection->out, (size_t)count);
    }
    int waits = connection->out.count > 0;
    await(poller, EPOLL_CTL_MOD, connection->socket, waits, &connection->waits, connection);
    return 1;
}

static void open_store(const char *folder) {
    need(mdb_env_create(&environment), "LMDB");
    need(mdb_env_set_mapsize(environment, MAP), "the map");
    need(mdb_env_open(environment, folder, MDB_NOTLS, 0600), folder);
    MDB_txn *writer;
    need(mdb_txn_begin(environment, NULL, 0, &writer), "a write");
    need(mdb_dbi_open(writer, NULL, 0, &table), "the table");
    need(mdb_txn_commit(writer), "a commit");
    need(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reader), "a read");
    mdb_txn_reset(reader);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    open_store(arguments[1]);
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    int signals = signalfd(-1, &stop, SFD_CLOEXEC);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 512) ||
        getsockname(listener, (struct sockaddr *)&address, &size)) {
        perror("listen");
        return 1;
    }
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listener};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = &signals;
    epoll_ctl(poller, EPOLL_CTL_ADD, signals, &event);
    printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr == &signals) {
                mdb_txn_abort(reader);
                mdb_env_close(environment);
                return 0;
            }
            if (events[i].data.ptr == &listener) {
                int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
                if (socket < 0) continue;
                setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                struct connection *connection = calloc(1, sizeof *connection);
                if (!connection) abort();
                connection->socket = socket;
                event = (struct epoll_event){.events = EPOLLIN, .data.ptr = connection};
                epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
                continue;
            }
            if (!advance(events[i].data.ptr)) end(events[i].data.ptr);
        }
    }
}
