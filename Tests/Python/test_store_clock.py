"""Servers whose machines have other clocks than their database: all of them go by its clock."""

import datetime
import subprocess

import grpc
import pytest
from credentials import Keys
from people import People, codes
from relationd import executable
from stubs import Relation
from test_shared_store import add, cluster, friends, psql, serve, store  # noqa: F401

DAYS = 2


@pytest.fixture(scope="module")
def clocks(tmp_path_factory):
    """Words before a command, which move the clock of its machine by some days."""
    folder = tmp_path_factory.mktemp("clocks")
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text("""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        static long moved(void) {
            const char *days = getenv("CLOCK_DAYS");
            return days ? atol(days) * 86400 : 0;
        }
        int clock_gettime(clockid_t id, struct timespec *time) {
            int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
            int code = real(id, time);
            if (code == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
                time->tv_sec += moved();
            return code;
        }
        int gettimeofday(struct timeval *time, void *zone) {
            struct timespec now;
            int code = clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return code;
        }
        time_t time(time_t *place) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (place) *place = now.tv_sec;
            return now.tv_sec;
        }
    """)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return lambda days: ["env", f"LD_PRELOAD={library}", f"CLOCK_DAYS={days}"]


def moved_days(server):
    """How far the clock of the server's machine is away from ours, as its log tells."""
    (time,) = server.await_log(r"\A(\S+) ").groups()
    first = datetime.datetime.fromisoformat(time)
    return round((first - datetime.datetime.now(datetime.UTC)) / datetime.timedelta(days=1))


@pytest.mark.parametrize("days", [DAYS, -DAYS])
def test_an_old_request_id_is_not_run_again_by_a_server_with_another_clock(
    serve, stubs, clocks, days  # noqa: F811
):
    one, other = serve(), serve(wrapper=clocks(days))
    assert (moved_days(one), moved_days(other)) == (0, days), other.log
    with grpc.insecure_channel(one.address) as first, \
            grpc.insecure_channel(other.address) as second:
        relations = [Relation(stubs, first), Relation(stubs, second)]
        ann, *others = People(relations[0])(3)
        # Each of them makes a write once, and the other one is asked for the same again.
        for user, (writer, asked) in zip(
            others, [relations, reversed(relations)], strict=False
        ):
            fields = {
                "user_id": ann, "items": [{"user_id": user}], "force": True,
                "options": {"request_id": f"old {user}"}}
            made = writer("AddFriends", **fields)
            assert codes(made) == [0]
            for relation in relations:
                relation(
                    "DeleteFriends", user_id=ann, user_ids=[user], delete_type="DELETE_TYPE_BOTH")
            again = asked("AddFriends", **fields)
            assert (again.results, again.sequence) == (made.results, made.sequence)
            assert friends(asked, ann) == []


@pytest.mark.parametrize("days", [DAYS, -DAYS])
def test_a_key_that_init_makes_lasts_by_the_clock_of_the_database(
    serve, store, stubs, clocks, days  # noqa: F811
):
    server = serve(insecure=False)
    done = subprocess.run(
        [*clocks(days), executable("relationd"), "init", "--store", store, "--add-key", "day",
         "--days", "1"], capture_output=True, text=True, check=True, timeout=30)
    with grpc.insecure_channel(server.address) as channel:
        keys = Keys(stubs, channel, done.stdout.strip())
        # It would have ended a day ago, or last for three.
        (row,) = keys.as_operator()("ListOperatorKeys").operator_keys
        now = int(psql(store, "SELECT (extract(epoch FROM now()) * 1000)::bigint"))
        hours = (row.expire_time_ms - now) / 3_600_000
        assert 23 < hours <= 24


def test_a_history_begins_behind_all_numbers_whatever_the_clock_of_init(
    serve, store, stubs, clocks  # noqa: F811
):
    def written(server):
        with grpc.insecure_channel(server.address) as channel:
            relation = Relation(stubs, channel)
            ann, bob = People(relation)(2)
            add(relation, ann, bob)
            return relation("ListFriends", user_id=ann).sequence

    running = serve()
    before = written(running)
    assert running.stop() == 0
    now = int(psql(store, "SELECT (extract(epoch FROM now()) * 1000000)::bigint"))
    # Histories begin at the time in microseconds, and this machine is of the day before yesterday.
    subprocess.run(
        [*clocks(-DAYS), executable("relationd"), "init", "--store", store, "--restored"],
        check=True, capture_output=True, timeout=30)
    assert written(serve()) > max(before, now)
