/* A load of gRPC calls on nghttp2 and epoll, one thread, without TLS. It tells latencies.

   load PORT WARM SECONDS GROUP...   A group is words with commas between, each NAME=VALUE:
     name=TEXT    how the report names it
     path=PATH    the path of the call
     file=FILE    the messages of its requests, each with gRPC's five bytes before it
     answers=FILE the answers that they must have, in the same form and order; without it, any
     batch=N      each request is so many messages of the file, as a stream of the client's is
     connections=N, streams=N   the most calls in flight are their product
     rate=N       calls a second at even times, which are an open loop; 0 sends a call as one ends
     once=1       ends when each request was sent once; without it they are sent again and again
     hold=1       opens that many calls once, and reads what comes until the end
     type=TEXT    the messages go without the five bytes, as bodies of this type: Connect's calls
     get=1        each message is the query of a GET, which has no body
     head=NAME:VALUE   one more field of each head; may be given four times

   A call of an open loop counts from the time at which it was due, and not from that at which it
   was sent: a stall counts for each call that it held up. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../shared/sockets.h"

enum { INPUT = 1 << 18, EVENTS = 256, WINDOW = 1 << 24, HEADS = 4, GROUPS = 8, SLICES = 1 << 12 };
/* The longest path with a query: more than a server takes in a head. */
enum { PATH = 1 << 16 };
enum { CONNECTIONS = 1 << 12, STREAMS = 1 << 14 };
#define SECOND 1000000000LL
/* How long calls that are in flight at the end are awaited; then they count with their age. */
#define GRACE (2 * SECOND)
/* The counts of answers are printed for slices of this length, so that a start shows its course. */
#define SLICE (SECOND / 20)

/* What gRPC has before each message. */
enum { PREFIX = 5 };

struct message { const uint8_t *at; size_t count; };
struct group;
/* A call: when it was due, which request it sends, and what came. */
struct call {
    struct call *next, *before;
    long long due;
    size_t index, sent;
    struct bytes in;
    int passed;
};
struct connection {
    struct group *group;
    nghttp2_session *session;
    int socket, open, waits, is_dirty;
    struct bytes rest;
};
struct group {
    const char *name, *path, *type, *heads[HEADS][2];
    int head_count, connections, streams, once, hold, get;
    double rate;
    struct message *requests, *answers;
    size_t request_count, next_request;
    struct connection **links;
    int next_link, in_flight;
    struct call open;
    long long first_due, first, sent, answered, events;
    /* Of calls that were due while it was measured: latencies in nanoseconds. */
    uint32_t *latencies;
    size_t count, room;
    long long failed, wrong, done, unanswered;
    uint32_t slices[SLICES];
};

static struct group groups[GROUPS];
static int group_count, poller;
static uint8_t input[INPUT];
static struct call *free_calls;
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;
static long long begin_time, measured_from, measured_to;

static void fail(const char *text) {
    fprintf(stderr, "load: %s: %s\n", text, strerror(errno));
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

/* The messages in a file, each with its five bytes. */
static size_t messages(const char *path, struct message **into) {
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) fail(path);
    size_t size = (size_t)status.st_size, count = 0, room = 0;
    const uint8_t *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (at == MAP_FAILED) fail(path);
    for (const uint8_t *end = at + size; at < end;) {
        uint32_t length;
        if (end - at < PREFIX) fail("a message is cut off");
        memcpy(&length, at + 1, 4);
        length = ntohl(length) + PREFIX;
        if ((size_t)(end - at) < length) fail("a message is cut off");
        if (count == room && !(*into = realloc(*into, (room = 2 * room + 64) * sizeof **into)))
            abort();
        (*into)[count++] = (struct message){at, length};
        at += length;
    }
    close(file);
    return count;
}

static void record(struct group *group, long long due, long long time) {
    if (due < measured_from || due >= measured_to) return;
    long long latency = time - due;
    if (group->count == group->room) {
        group->room = 2 * group->room + 1024;
        group->latencies = realloc(group->latencies, group->room * sizeof *group->latencies);
        if (!group->latencies) abort();
    }
    group->latencies[group->count++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
}

/* The calls of a group that are in flight stand in a ring, so that the end finds them. */
static void enter(struct group *group, struct call *call) {
    call->next = group->open.next;
    call->before = &group->open;
    call->next->before = call;
    group->open.next = call;
}

static void leave(struct call *call) {
    call->next->before = call->before;
    call->before->next = call->next;
}

/* HTTP/2. */

/* How many calls have printed why they failed. */
static int printed;

static ssize_t read_request(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room,
                            uint32_t *flags, nghttp2_data_source *source, void *data) {
    struct group *group = ((struct connection *)data)->group;
    struct call *call = source->ptr;
    const struct message *message = &group->requests[call->index];
    size_t count = message->count - call->sent;
    (void)session, (void)stream;
    if (count > room) count = room;
    memcpy(buffer, message->at + call->sent, count);
    call->sent += count;
    if (call->sent == message->count) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)count;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_count, const uint8_t *value, size_t count, uint8_t flags,
                     void *data) {
    struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    (void)flags;
    if (call && name_count == 11 && memcmp(name, "grpc-status", 11) == 0)
        call->passed = count == 1 && *value == '0';
    else if (call && ((struct connection *)data)->group->type && name_count == 7
             && memcmp(name, ":status", 7) == 0)
        call->passed = count == 3 && memcmp(value, "200", 3) == 0;
    else if (call && name_count == 12 && memcmp(name, "grpc-message", 12) == 0 && !printed++)
        fprintf(stderr, "load: the first call that failed: %.*s\n", (int)count, value);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *data) {
    struct connection *connection = data;
    (void)session;
    if (frame->hd.type == NGHTTP2_HEADERS && connection->group->hold) connection->group->answered++;
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t count, void *user) {
    struct connection *connection = user;
    struct call *call = nghttp2_session_get_stream_user_data(session, stream);
    (void)flags;
    if (connection->group->hold) connection->group->events++;
    else if (call && connection->group->answers) append(&call->in, data, count);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *data) {
    struct connection *connection = data;
    struct group *group = connection->group;
    struct call *call = nghttp2_session_get_stream_user_data(session, stream);
    if (!call) return 0;
    long long time = now();
    record(group, call->due, time);
    leave(call);
    connection->open--;
    group->in_flight--;
    if (group->first == 0) group->first = time;
    if (time >= measured_from && time < measured_to) group->done++;
    if ((time - begin_time) / SLICE < SLICES) group->slices[(time - begin_time) / SLICE]++;
    if (code != 0 || !call->passed) group->failed++;
    else if (group->answers) {
        const struct message *wanted = &group->answers[call->index];
        if (call->in.count != wanted->count || memcmp(call->in.at, wanted->at, wanted->count) != 0)
            group->wrong++;
    }
    call->next = free_calls;
    free_calls = call;
    return 0;
}

/* Writes all that the session has to say with one system call. */
static void flush(struct connection *connection) {
    const uint8_t *part;
    ssize_t count;
    connection->is_dirty = 0;
    while ((count = nghttp2_session_mem_send(connection->session, &part)) > 0)
        append(&connection->rest, part, (size_t)count);
    if (count < 0) fail("a session failed");
    if (connection->rest.count > 0) {
        count = send(connection->socket, connection->rest.at, connection->rest.count, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) fail("send");
        if (count > 0) drop(&connection->rest, (size_t)count);
    }
    int waits = connection->rest.count > 0;
    await(poller, EPOLL_CTL_MOD, connection->socket, waits, &connection->waits, connection);
}

static void receive(struct connection *connection) {
    ssize_t count = recv(connection->socket, input, sizeof input, 0);
    if (count == 0) { errno = 0; fail("the server has closed a connection"); }
    if (count < 0 && errno != EAGAIN) fail("recv");
    if (count > 0 && nghttp2_session_mem_recv(connection->session, input, (size_t)count) < 0)
        fail("a session failed");
    connection->is_dirty = 1;
}

static struct connection *connected(struct group *group, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct connection *connection = calloc(1, sizeof *connection);
    int on = 1;
    if (!connection) abort();
    connection->group = group;
    /* A server that starts refuses connections for a while. */
    for (long long end = now() + 120 * SECOND;; usleep(500)) {
        connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(connection->socket, (struct sockaddr *)&address, sizeof address) == 0) break;
        if (errno != ECONNREFUSED || now() > end) fail("connect");
        close(connection->socket);
    }
    fcntl(connection->socket, F_SETFL, O_NONBLOCK);
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (nghttp2_session_client_new2(&connection->session, callbacks, connection, options) != 0)
        abort();
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, 1);
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, WINDOW);
    await(poller, EPOLL_CTL_ADD, connection->socket, 0, &connection->waits, connection);
    flush(connection);
    return connection;
}

#define FIELD(name, value) \
    {(uint8_t *)(name), (uint8_t *)(value), strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE}

static const char *path_of(const struct group *group) {
    static char path[PATH];
    const struct message *query = &group->requests[group->next_request];
    if (!group->get) return group->path;
    snprintf(path, sizeof path, "%s?%.*s", group->path, (int)(query->count - PREFIX),
             (const char *)query->at + PREFIX);
    return path;
}

static void send_call(struct connection *connection, long long due) {
    struct group *group = connection->group;
    const char *type = group->type ? group->type : "application/grpc";
    const char *path = path_of(group);
    nghttp2_nv head[7 + HEADS] = {
        FIELD(":method", group->get ? "GET" : "POST"), FIELD(":scheme", "http"),
        FIELD(":path", path), FIELD(":authority", "127.0.0.1"), FIELD("te", "trailers"),
        FIELD("content-type", type), FIELD("user-agent", "load/1")};
    for (int index = 0; index < group->head_count; index++)
        head[7 + index] = (nghttp2_nv)FIELD(group->heads[index][0], group->heads[index][1]);
    struct call *call = free_calls;
    if (call) free_calls = call->next;
    else if (!(call = calloc(1, sizeof *call))) abort();
    call->due = due;
    call->index = group->next_request;
    call->in.count = 0;
    call->sent = group->type ? PREFIX : 0;
    call->passed = 0;
    enter(group, call);
    if (++group->next_request == group->request_count && !group->once) group->next_request = 0;
    nghttp2_data_provider data = {.source.ptr = call, .read_callback = read_request};
    size_t count = (size_t)(7 + group->head_count);
    const nghttp2_data_provider *body = group->get ? NULL : &data;
    if (nghttp2_submit_request(connection->session, NULL, head, count, body, call) < 0)
        fail("a call could not be sent");
    connection->open++;
    connection->is_dirty = 1;
    group->in_flight++;
    group->sent++;
}

/* When the next call of an open loop is due. */
static long long next_due(const struct group *group) {
    return group->first_due + (long long)((double)group->sent * 1e9 / group->rate);
}

/* The next connection with room for a call; null if all are full. */
static struct connection *room(struct group *group) {
    for (int tries = 0; tries < group->connections; tries++) {
        struct connection *link = group->links[group->next_link];
        group->next_link = (group->next_link + 1) % group->connections;
        if (link->open < group->streams) return link;
    }
    return NULL;
}

/* Sends what is due, and returns when the next call is; `never` for a closed loop. */
static long long send_due(struct group *group, long long time, long long never) {
    int is_open = group->rate > 0;
    if (group->in_flight == group->connections * group->streams) return never;
    for (;;) {
        long long due = time;
        if (group->once && group->next_request == group->request_count) return never;
        if (group->hold && group->sent == (long long)group->connections * group->streams)
            return never;
        if (is_open) {
            due = next_due(group);
            if (due > time || due >= measured_to) return due > time ? due : never;
        }
        struct connection *link = room(group);
        if (!link) return never;
        send_call(link, due);
    }
}

/* The arguments. */

/* Makes one request of `batch` messages, which stand behind each other in the file. */
static void join(struct group *group, size_t batch) {
    size_t count = batch > 0 ? group->request_count / batch : 0;
    for (size_t index = 0; index < count && batch > 1; index++) {
        struct message joined = {group->requests[index * batch].at, 0};
        for (size_t part = 0; part < batch; part++)
            joined.count += group->requests[index * batch + part].count;
        group->requests[index] = joined;
    }
    group->request_count = count;
}

static void read_group(struct group *group, char *text) {
    size_t batch = 1;
    group->connections = group->streams = 1;
    group->open.next = group->open.before = &group->open;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        char *value = strchr(word, '=');
        if (!value) { errno = EINVAL; fail(word); }
        *value++ = 0;
        if (!strcmp(word, "name")) group->name = value;
        else if (!strcmp(word, "path")) group->path = value;
        else if (!strcmp(word, "file")) group->request_count = messages(value, &group->requests);
        else if (!strcmp(word, "answers")) messages(value, &group->answers);
        else if (!strcmp(word, "batch")) batch = (size_t)atoi(value);
        else if (!strcmp(word, "connections")) group->connections = atoi(value);
        else if (!strcmp(word, "streams")) group->streams = atoi(value);
        else if (!strcmp(word, "rate")) group->rate = atof(value);
        else if (!strcmp(word, "once")) group->once = atoi(value);
        else if (!strcmp(word, "hold")) group->hold = atoi(value);
        else if (!strcmp(word, "type")) group->type = value;
        else if (!strcmp(word, "get")) group->get = atoi(value);
        else if (!strcmp(word, "head") && group->head_count < HEADS) {
            char *text = strchr(value, ':');
            if (!text) { errno = EINVAL; fail(value); }
            *text++ = 0;
            group->heads[group->head_count][0] = value;
            group->heads[group->head_count++][1] = text;
        } else { errno = EINVAL; fail(word); }
    }
    join(group, batch);
    if (!group->name || !group->path || !group->request_count || group->connections < 1
        || group->connections > CONNECTIONS || group->streams < 1 || group->streams > STREAMS) {
        errno = EINVAL;
        fail("a group needs a name, a path and a file");
    }
}

static int by_size(const void *one, const void *other) {
    uint32_t first = *(const uint32_t *)one, second = *(const uint32_t *)other;
    return first < second ? -1 : first > second;
}

static double quantile(const struct group *group, double share) {
    if (group->count == 0) return 0;
    size_t index = (size_t)((double)group->count * share);
    return group->latencies[index < group->count ? index : group->count - 1] / 1e3;
}

/* Calls without an answer count with their age, and those that were never sent as well. */
static void close_books(struct group *group, long long time) {
    if (group->hold) return;
    for (struct call *call = group->open.next; call != &group->open; call = call->next) {
        record(group, call->due, time);
        group->unanswered++;
    }
    for (; group->rate > 0 && next_due(group) < measured_to; group->sent++) {
        record(group, next_due(group), time);
        group->unanswered++;
    }
}

static void report(struct group *group, double seconds, int is_last) {
    qsort(group->latencies, group->count, sizeof *group->latencies, by_size);
    printf("{\"name\": \"%s\", \"calls\": %lld, \"a_second\": %.1f, \"due\": %zu, "
           "\"failed\": %lld, \"unanswered\": %lld, "
           "\"wrong\": %lld, \"events\": %lld, \"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, "
           "\"max\": %.1f, \"began\": %lld, \"first\": %lld, \"slices\": [",
           group->name, group->done, (double)group->done / seconds, group->count, group->failed,
           group->unanswered, group->wrong, group->events, quantile(group, 0.5),
           quantile(group, 0.99), quantile(group, 0.999), quantile(group, 1),
           begin_time, group->first);
    long long last = (measured_to - begin_time) / SLICE;
    for (long long slice = 0; slice < last && slice < SLICES; slice++)
        printf("%s%u", slice ? ", " : "", group->slices[slice]);
    printf("]}%s", is_last ? "" : ", ");
}

int main(int count, char **words) {
    if (count < 5 || count - 4 > GROUPS) { errno = EINVAL; fail("PORT WARM SECONDS GROUP..."); }
    double warm = atof(words[2]), seconds = atof(words[3]);
    prctl(PR_SET_TIMERSLACK, 1);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_new(&options);
    nghttp2_option_set_no_closed_streams(options, 1);
    nghttp2_option_set_peer_max_concurrent_streams(options, STREAMS);
    poller = epoll_create1(EPOLL_CLOEXEC);
    for (group_count = 0; group_count < count - 4; group_count++)
        read_group(&groups[group_count], words[4 + group_count]);
    begin_time = now();
    for (int index = 0; index < group_count; index++) {
        struct group *group = &groups[index];
        group->links = calloc((size_t)group->connections, sizeof *group->links);
        for (int link = 0; link < group->connections; link++)
            group->links[link] = connected(group, atoi(words[1]));
    }
    struct epoll_event events[EVENTS];
    long long start = now(), end = 0;
    measured_from = measured_to = INT64_MAX;
    for (int index = 0; index < group_count; index++) groups[index].first_due = start;
    for (int begun = 0;;) {
        long long time = now(), next = time + SECOND / 100;
        /* Streams that are held must all have begun before it is measured. */
        int waits = 0;
        for (int index = 0; index < group_count; index++) {
            struct group *group = &groups[index];
            waits |= group->hold
                && group->answered < (long long)group->connections * group->streams;
        }
        if (!begun && !waits && time >= start + (long long)(warm * 1e9)) {
            begun = 1;
            printf("begin\n");
            fflush(stdout);
            measured_from = now();
            measured_to = measured_from + (long long)(seconds * 1e9);
            end = measured_to + GRACE;
        }
        int is_over = begun && time >= measured_to, in_flight = 0;
        for (int index = 0; index < group_count; index++) {
            struct group *group = &groups[index];
            /* Calls of an open loop that were due in time are sent after it too. */
            long long due = is_over && group->rate == 0 ? next : send_due(group, time, next);
            if (due < next) next = due;
            if (!group->hold) in_flight += group->in_flight;
        }
        if (is_over && (in_flight == 0 || time >= end)) break;
        for (int index = 0; index < group_count; index++)
            for (int link = 0; link < groups[index].connections; link++)
                if (groups[index].links[link]->is_dirty) flush(groups[index].links[link]);
        long long rest = next - now();
        struct timespec wait = {0, rest > 0 ? rest : 0};
        int ready = epoll_pwait2(poller, events, EVENTS, &wait, NULL);
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (events[index].events & ~(unsigned)EPOLLOUT) receive(connection);
            else connection->is_dirty = 1;
        }
    }
    printf("[");
    for (int index = 0; index < group_count; index++) close_books(&groups[index], now());
    for (int index = 0; index < group_count; index++)
        report(&groups[index], seconds, index + 1 == group_count);
    printf("]\n");
    return 0;
}
