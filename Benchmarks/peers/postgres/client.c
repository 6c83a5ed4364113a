// A bare client of PostgreSQL over libpq, as a team would write it instead of the service.
//
//   client add ADDRESS SESSIONS COUNT FIRST   COUNT additions in each session, durable, each in two
//                                             pipelined round trips, of pairs from FIRST on
//   client rows ADDRESS SESSIONS SECONDS KEYS reads of KEYS rows of relation_kv in one statement
//   client list ADDRESS SESSIONS SECONDS ROWS reads of the first ROWS rows of a user in one
//   statement
//
// It prints one line: calls, seconds, and the times of the 50th and the 99th of 100 calls in
// microseconds. `rows` and `list` make the statements that the service makes.

#include <endian.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SESSIONS = 64, MOST_KEYS = 256, SAMPLES = 1 << 20, KNOWN_ROWS = 50000 };

static const char *address;
static int sessions, count, first, keys;
static double seconds;
static char mode;
static pthread_barrier_t start;
static PGresult *known;

typedef struct {
    int number;
    PGconn *connection;
    uint32_t *times;
    int calls;
    double begin, end;
    uint64_t random;
} Session;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(PGconn *connection, const char *what) {
    fprintf(stderr, "%s: %s", what, PQerrorMessage(connection));
    exit(1);
}

static void check(PGconn *connection, int sent, const char *what) {
    if (sent != 1) fail(connection, what);
}

static void prepare(PGconn *connection, const char *name, const char *sql) {
    PGresult *result = PQprepare(connection, name, sql, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(connection, name);
    PQclear(result);
}

// Takes the results of one statement, which must have succeeded.
static int next_result(PGconn *connection) {
    PGresult *result = PQgetResult(connection);
    ExecStatusType status = PQresultStatus(result);
    int rows = PQntuples(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(connection, "a statement");
    PQclear(result);
    while ((result = PQgetResult(connection))) PQclear(result);
    return rows;
}

static void takeSync(PGconn *connection) {
    PGresult *result = PQgetResult(connection);
    if (PQresultStatus(result) != PGRES_PIPELINE_SYNC) fail(connection, "the end of a trip");
    PQclear(result);
}

static void send(PGconn *connection, const char *name, const char *one, const char *other) {
    const char *values[] = {one, other};
    check(connection,
          PQsendQueryPrepared(connection, name, one ? 2 : 0, values, NULL, NULL, 0), name);
}

// One friendship: the heads are locked and read in one trip, and all is written in another.
static void add(Session *session, int number) {
    PGconn *connection = session->connection;
    char one[32], other[32];
    snprintf(one, sizeof one, "adder-%d", number);
    snprintf(other, sizeof other, "added-%d", number);
    send(connection, "begin", NULL, NULL);
    send(connection, "lock", one, other);
    check(connection, PQpipelineSync(connection), "sync");
    next_result(connection);
    if (next_result(connection) != 2) fail(connection, "there are no two heads");
    takeSync(connection);
    send(connection, "friends", one, other);
    send(connection, "heads", one, other);
    send(connection, "changes", one, other);
    send(connection, "commit", NULL, NULL);
    check(connection, PQpipelineSync(connection), "sync");
    for (int i = 0; i < 4; i++) next_result(connection);
    takeSync(connection);
}

static const char *const additions[][2] = {
    {"begin", "BEGIN ISOLATION LEVEL READ COMMITTED"},
    {"lock", "SELECT user_id, friends, sequence FROM heads WHERE user_id IN ($1::text, $2::text) "
             "ORDER BY user_id FOR UPDATE"},
    {"friends",
     "INSERT INTO friends SELECT a, b, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
     "'AddSource_Type_Bench' FROM (VALUES ($1::text, $2::text), ($2::text, $1::text)) AS v (a, b)"},
    {"heads", "UPDATE heads SET friends = friends + 1, sequence = sequence + 1 "
              "WHERE user_id IN ($1::text, $2::text)"},
    {"changes", "INSERT INTO changes SELECT user_id, sequence, "
                "CASE user_id WHEN $1::text THEN $2::text ELSE $1::text END "
                "FROM heads WHERE user_id IN ($1::text, $2::text)"},
    {"commit", "COMMIT"},
};

static const char rowsStatement[] =
    "SELECT q.n, r.v FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS q(p, k, n) "
    "JOIN relation_kv r ON r.p = q.p AND r.k = q.k";
static const char listStatement[] =
    "SELECT k, v FROM relation_kv WHERE p = $1::bytea AND k >= $2::bytea AND k < '\\xff'::bytea "
    "ORDER BY k LIMIT $3::bigint";

static int anyRow(Session *session) {
    session->random = session->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((session->random >> 33) % (uint64_t)PQntuples(known));
}

static char *put32(char *at, uint32_t value) {
    value = htobe32(value);
    memcpy(at, &value, 4);
    return at + 4;
}

// An array of bytea in the binary form: the values of one column of known rows.
static int array(char *buffer, const int *rows, int column) {
    char *at = buffer;
    uint32_t head[] = {1, 0, 17, (uint32_t)keys, 1};
    for (int i = 0; i < 5; i++) at = put32(at, head[i]);
    for (int i = 0; i < keys; i++) {
        int length = PQgetlength(known, rows[i], column);
        at = put32(at, (uint32_t)length);
        memcpy(at, PQgetvalue(known, rows[i], column), (size_t)length);
        at += length;
    }
    return (int)(at - buffer);
}

static void readRows(Session *session) {
    static __thread char buffers[2][MOST_KEYS * 128];
    int rows[MOST_KEYS];
    for (int i = 0; i < keys; i++) rows[i] = anyRow(session);
    const char *values[] = {buffers[0], buffers[1]};
    int lengths[] = {array(buffers[0], rows, 0), array(buffers[1], rows, 1)};
    int formats[] = {1, 1};
    check(session->connection,
          PQsendQueryPrepared(
              session->connection, "read", 2, values, lengths, formats, 1), "read");
}

static void readList(Session *session) {
    int row = anyRow(session);
    uint64_t limit = htobe64((uint64_t)keys);
    const char *values[] = {
        PQgetvalue(known, row, 0), PQgetvalue(known, row, 1), (const char *)&limit};
    int lengths[] = {PQgetlength(known, row, 0), 1, 8};
    int formats[] = {1, 1, 1};
    check(session->connection,
          PQsendQueryPrepared(
              session->connection, "read", 3, values, lengths, formats, 1), "read");
}

static void readOnce(Session *session) {
    if (mode == 'r') readRows(session); else readList(session);
    check(session->connection, PQpipelineSync(session->connection), "sync");
    if (next_result(session->connection) == 0) fail(session->connection, "no rows");
    takeSync(session->connection);
}

static void *run(void *argument) {
    Session *session = argument;
    pthread_barrier_wait(&start);
    session->begin = now();
    for (int n = 0; mode == 'a' ? n < count : now() - session->begin < seconds; n++) {
        double before = now();
        if (mode == 'a') add(session, first + session->number * count + n);
        else readOnce(session);
        if (n < SAMPLES) session->times[n] = (uint32_t)((now() - before) * 1e6);
        session->calls = n + 1;
    }
    session->end = now();
    return NULL;
}

static PGconn *connect(void) {
    PGconn *connection = PQconnectdb(address);
    if (PQstatus(connection) != CONNECTION_OK) fail(connection, "connect");
    return connection;
}

// Rows of friends lists, to ask for.
static void learnRows(void) {
    PGconn *connection = connect();
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT p, k FROM relation_kv WHERE length(k) > 2 ORDER BY md5(p || k) LIMIT %d",
             KNOWN_ROWS);
    known = PQexecParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(known) != PGRES_TUPLES_OK || PQntuples(known) == 0)
        fail(connection, "there are no rows");
    PQfinish(connection);
}

static int byTime(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return a < b ? -1 : a > b;
}

int main(int words, char **word) {
    if (words != 6) {
        fprintf(stderr, "client add|rows|list ADDRESS SESSIONS COUNT|SECONDS FIRST|KEYS\n");
        return 2;
    }
    mode = word[1][0];
    address = word[2];
    sessions = atoi(word[3]);
    count = atoi(word[4]);
    seconds = atof(word[4]);
    first = keys = atoi(word[5]);
    if (sessions < 1 || sessions > MOST_SESSIONS || (mode != 'a' && (keys < 1 || keys > MOST_KEYS)))
        return 2;
    if (mode != 'a') learnRows();
    static Session all[MOST_SESSIONS];
    pthread_t threads[MOST_SESSIONS];
    pthread_barrier_init(&start, NULL, (unsigned)sessions);
    for (int i = 0; i < sessions; i++) {
        Session *session = &all[i];
        session->number = i;
        session->random = (uint64_t)i + 1;
        session->times = calloc(SAMPLES, sizeof(uint32_t));
        session->connection = connect();
        if (mode == 'a') {
            for (int s = 0; s < 6; s++)
                prepare(session->connection, additions[s][0], additions[s][1]);
        } else {
            // The settings of the service's own sessions.
            PQclear(PQexec(session->connection,
                "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; "
                "SET enable_material = off; SET enable_bitmapscan = off; SET jit = off; "
                "SET plan_cache_mode = force_generic_plan; "
                "SET default_transaction_isolation = 'repeatable read'; "
                "SET default_transaction_read_only = on"));
            prepare(session->connection, "read", mode == 'r' ? rowsStatement : listStatement);
        }
        check(session->connection, PQenterPipelineMode(session->connection), "pipeline");
    }
    for (int i = 0; i < sessions; i++) pthread_create(&threads[i], NULL, run, &all[i]);
    long calls = 0, samples = 0;
    double begin = 1e300, end = 0;
    for (int i = 0; i < sessions; i++) {
        pthread_join(threads[i], NULL);
        calls += all[i].calls;
        samples += all[i].calls < SAMPLES ? all[i].calls : SAMPLES;
        if (all[i].begin < begin) begin = all[i].begin;
        if (all[i].end > end) end = all[i].end;
        PQfinish(all[i].connection);
    }
    uint32_t *times = malloc((size_t)samples * sizeof(uint32_t)), *at = times;
    for (int i = 0; i < sessions; i++) {
        int number = all[i].calls < SAMPLES ? all[i].calls : SAMPLES;
        memcpy(at, all[i].times, (size_t)number * sizeof(uint32_t));
        at += number;
    }
    qsort(times, (size_t)samples, sizeof(uint32_t), byTime);
    printf("%ld %.6f %u %u\n", calls, end - begin, times[samples / 2], times[samples * 99 / 100]);
    return 0;
}
