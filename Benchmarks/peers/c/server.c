/* The floor: relation.v1.FriendService/CheckFriends on nghttp2 and epoll, one thread, a hand codec.
   It answers that each user of the request is a friend in both directions. Compiled with TLS it
   takes a certificate and its key, in PEM, and speaks TLS 1.3 alone: one read and one write of the
   socket around all records, as without. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../../shared/sockets.h"

#ifdef TLS
#ifdef BORINGSSL
#include <CNIOBoringSSL.h>
#else
#include <openssl/ssl.h>
#endif
#endif

enum { MESSAGE = 1 << 20, INPUT = 1 << 18, EVENTS = 256, STREAMS = 1000, WINDOW = 1 << 20 };
static const char PATH[] = "/relation.v1.FriendService/CheckFriends";

/* A call: its message comes into `in`, and its answer leaves `out` from `sent` on. */
struct call { struct call *next; struct bytes in, out; size_t sent; int known; };
/* `rest` is what the socket did not take. */
struct connection {
    nghttp2_session *session;
    int socket;
    struct bytes rest;
    int waits;
#ifdef TLS
    SSL *tls;
    BIO *received, *sealed;
#endif
};

static struct call *free_calls;
static struct bytes output;
static uint8_t input[INPUT];
static int poller;
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *options;

/* Reads a varint at `*at`, before `end`. */
static int number(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    *value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return 1;
    }
    return 0;
}

static size_t put(uint8_t *to, uint64_t value) {
    size_t count = 0;
    for (; value > 0x7f; value >>= 7) to[count++] = (uint8_t)(value | 0x80);
    to[count++] = (uint8_t)value;
    return count;
}

/* Appends the result of one user: its id, code 0, and relation 3. */
static void append_result(struct bytes *out, const uint8_t *id, size_t count) {
    static const uint8_t end[] = {0x10, 0, 0x28, 3};
    uint8_t inner[10], head[22];
    inner[0] = 0x0a;
    size_t inner_count = 1 + put(inner + 1, count), head_count = 1;
    head[0] = 0x0a;
    head_count += put(head + 1, inner_count + count + sizeof end);
    memcpy(head + head_count, inner, inner_count);
    append(out, head, head_count + inner_count);
    append(out, id, count);
    append(out, end, sizeof end);
}

/* Reads the message of `call` and writes its answer, both with gRPC's five bytes before them. */
static int answer(struct call *call) {
    const uint8_t *at = call->in.at + 5, *end = call->in.at + call->in.count;
    uint32_t length;
    if (call->in.count < 5 || call->in.at[0] != 0) return 0;
    memcpy(&length, call->in.at + 1, 4);
    if (ntohl(length) != call->in.count - 5) return 0;
    append(&call->out, "\0\0\0\0\0", 5);
    uint64_t tag, value, users = 0;
    while (at < end) {
        if (!number(&at, end, &tag) || !number(&at, end, &value)) return 0;
        if ((tag & 7) == 0) continue;
        if ((tag & 7) != 2 || value > (uint64_t)(end - at)) return 0;
        if (tag >> 3 == 1) users = value; /* The caller must have a name. */
        if (tag >> 3 == 3) append_result(&call->out, at, value);
        at += value;
    }
    length = htonl((uint32_t)(call->out.count - 5));
    memcpy(call->out.at + 1, &length, 4);
    return users > 0;
}

#define FIELD(name, value) \
    {(uint8_t *)(name), (uint8_t *)(value), sizeof(name) - 1, sizeof(value) - 1, \
     NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE}
#define OK FIELD(":status", "200")
#define GRPC FIELD("content-type", "application/grpc")

/* Gives the answer's bytes, and the trailers behind them. */
static ssize_t read_answer(nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t room,
                           uint32_t *flags, nghttp2_data_source *source, void *unused) {
    static const nghttp2_nv good[] = {FIELD("grpc-status", "0")};
    struct call *call = source->ptr;
    size_t count = call->out.count - call->sent;
    (void)unused;
    if (count > room) count = room;
    memcpy(buffer, call->out.at + call->sent, count);
    call->sent += count;
    if (call->sent == call->out.count) {
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        if (nghttp2_submit_trailer(session, stream, good, 1) != 0)
            return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
    return (ssize_t)count;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *unused) {
    static const nghttp2_nv head[] = {OK, GRPC};
    static const nghttp2_nv unknown[] = {OK, GRPC, FIELD("grpc-status", "12")};
    static const nghttp2_nv broken[] = {OK, GRPC, FIELD("grpc-status", "3")};
    (void)unused;
    if (frame->hd.type > NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!call) return 0;
    nghttp2_data_provider data = {.source.ptr = call, .read_callback = read_answer};
    int32_t stream = frame->hd.stream_id;
    if (!call->known) return nghttp2_submit_response(session, stream, unknown, 3, NULL);
    if (!answer(call)) return nghttp2_submit_response(session, stream, broken, 3, NULL);
    return nghttp2_submit_response(session, stream, head, 2, &data);
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *unused) {
    struct call *call = free_calls;
    (void)unused;
    if (call) free_calls = call->next;
    else if (!(call = calloc(1, sizeof *call))) abort();
    call->in.count = call->out.count = call->sent = 0;
    call->known = 0;
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, call);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_count, const uint8_t *value, size_t count, uint8_t flags,
                     void *unused) {
    (void)flags, (void)unused;
    if (name_count != 5 || memcmp(name, ":path", 5) != 0) return 0;
    struct call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (call) call->known = count == sizeof PATH - 1 && memcmp(value, PATH, count) == 0;
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
                   size_t count, void *unused) {
    struct call *call = nghttp2_session_get_stream_user_data(session, stream);
    (void)flags, (void)unused;
    if (!call) return 0;
    if (call->in.count + count > MESSAGE) return NGHTTP2_ERR_CALLBACK_FAILURE;
    append(&call->in, data, count);
    return 0;
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *unused) {
    struct call *call = nghttp2_session_get_stream_user_data(session, stream);
    (void)code, (void)unused;
    if (!call) return 0;
    call->next = free_calls;
    free_calls = call;
    return 0;
}

#ifdef TLS
static SSL_CTX *security;

static int choose(SSL *tls, const uint8_t **chosen, uint8_t *count, const uint8_t *offered,
                  unsigned size, void *unused) {
    static const uint8_t known[] = {2, 'h', '2'};
    (void)tls, (void)unused;
    return SSL_select_next_proto((uint8_t **)chosen, count, known, sizeof known, offered, size)
            == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static void secure(struct connection *connection) {
    connection->tls = SSL_new(security);
    connection->received = BIO_new(BIO_s_mem());
    connection->sealed = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(connection->received, -1);
    SSL_set_bio(connection->tls, connection->received, connection->sealed);
    SSL_set_accept_state(connection->tls);
}

/* Gives the session the plain text of what came. */
static int unseal(struct connection *connection, size_t count) {
    static uint8_t plain[INPUT];
    if (BIO_write(connection->received, input, (int)count) != (int)count) return 0;
    int read;
    while ((read = SSL_read(connection->tls, plain, sizeof plain)) > 0)
        if (nghttp2_session_mem_recv(connection->session, plain, (size_t)read) < 0) return 0;
    return SSL_get_error(connection->tls, read) == SSL_ERROR_WANT_READ;
}

/* Takes what the session has to say, once the handshake is done, and appends its records. */
static int seal(struct connection *connection, struct bytes *to) {
    static struct bytes plain;
    const uint8_t *part;
    ssize_t count = 0;
    if (SSL_is_init_finished(connection->tls)) {
        plain.count = 0;
        while ((count = nghttp2_session_mem_send(connection->session, &part)) > 0)
            append(&plain, part, (size_t)count);
        if (count < 0) return 0;
        if (plain.count > 0
            && SSL_write(connection->tls, plain.at, (int)plain.count) != (int)plain.count) return 0;
    }
    size_t size = BIO_pending(connection->sealed);
    if (size == 0) return 1;
    if (to->room - to->count < size && !(to->at = realloc(to->at, to->room += 2 * size))) abort();
    BIO_read(connection->sealed, to->at + to->count, (int)size);
    to->count += size;
    return 1;
}
#endif

static void end(struct connection *connection) {
#ifdef TLS
    SSL_free(connection->tls);
#endif
    close(connection->socket);
    nghttp2_session_del(connection->session);
    free(connection->rest.at);
    free(connection);
}

/* Writes all that the session has to say with one system call. */
static int flush(struct connection *connection) {
    struct bytes *from = connection->rest.count > 0 ? &connection->rest : &output;
    ssize_t count;
#ifdef TLS
    if (!seal(connection, from)) return 0;
#else
    const uint8_t *part;
    while ((count = nghttp2_session_mem_send(connection->session, &part)) > 0)
        append(from, part, (size_t)count);
    if (count < 0) return 0;
#endif
    if (from->count > 0) {
        count = send(connection->socket, from->at, from->count, MSG_NOSIGNAL);
        if (count < 0 && errno != EAGAIN) return 0;
        size_t left = from->count - (count > 0 ? (size_t)count : 0);
        if (from == &output) {
            if (left > 0) append(&connection->rest, output.at + output.count - left, left);
            output.count = 0;
        } else {
            drop(from, from->count - left);
        }
    }
    int waits = connection->rest.count > 0;
    await(poller, EPOLL_CTL_MOD, connection->socket, waits, &connection->waits, connection);
    return nghttp2_session_want_read(connection->session)
        || nghttp2_session_want_write(connection->session);
}

static int serve(struct connection *connection) {
    ssize_t count = recv(connection->socket, input, sizeof input, 0);
    if (count < 0 ? errno != EAGAIN : count == 0) return 0;
#ifdef TLS
    if (count > 0 && !unseal(connection, (size_t)count)) return 0;
#else
    if (count > 0 && nghttp2_session_mem_recv(connection->session, input, (size_t)count) < 0)
        return 0;
#endif
    return flush(connection);
}

static void begin(int listener) {
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (socket < 0) return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct connection *connection = calloc(1, sizeof *connection);
    if (!connection) abort();
    connection->socket = socket;
    if (nghttp2_session_server_new2(&connection->session, callbacks, connection, options) != 0)
        abort();
#ifdef TLS
    secure(connection);
#endif
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS},
                                         {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, settings, 2);
    nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, WINDOW);
    await(poller, EPOLL_CTL_ADD, connection->socket, 0, &connection->waits, connection);
    if (!flush(connection)) end(connection);
}

#ifdef TLS
int main(int count, char **words) {
    security = SSL_CTX_new(TLS_server_method());
    if (count != 3 || !SSL_CTX_set_min_proto_version(security, TLS1_3_VERSION)
        || SSL_CTX_use_certificate_chain_file(security, words[1]) != 1
        || SSL_CTX_use_PrivateKey_file(security, words[2], SSL_FILETYPE_PEM) != 1) return 1;
    SSL_CTX_set_alpn_select_cb(security, choose, NULL);
#else
int main(void) {
#endif
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1024) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) return 1;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_new(&options);
    nghttp2_option_set_no_closed_streams(options, 1);
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    int signals = signalfd(-1, &stop, SFD_CLOEXEC);
    poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &listener}, events[EVENTS];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = &signals;
    epoll_ctl(poller, EPOLL_CTL_ADD, signals, &event);
    printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int count = epoll_wait(poller, events, EVENTS, -1);
        for (int index = 0; index < count; index++) {
            if (events[index].data.ptr == &signals) return 0;
            if (events[index].data.ptr == &listener) begin(listener);
            else if (!serve(events[index].data.ptr)) end(events[index].data.ptr);
        }
    }
}
