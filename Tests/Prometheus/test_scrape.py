"""Debian's Prometheus scrapes the real server, and answers each query of the dashboards."""

import json
import subprocess
import time
import urllib.parse
import urllib.request

import grpc
import operator_files
import ports
import pytest
from operator_files import ALERTS, DASHBOARDS
from people import People
from postgres import Cluster
from relationd import Relationd
from stubs import Relation
from watching import Watching

SCRAPE_SECONDS = 1
START_SECONDS = 60
# What a server has to go through so that no query is about nothing.
ROUNDS = 8

# Answers nothing while all is well: a share or a rate of what did not happen.
MAY_BE_EMPTY = {
    "Calls that failed by our own fault",
    "Protocol violations of clients",
}


class Prometheus:
    """A running Prometheus that scrapes servers."""

    def __init__(self, folder, *servers):
        self.address = f"http://127.0.0.1:{ports.take()}"
        targets = [server.pages.removeprefix("http://") for server in servers]
        configuration = folder / "prometheus.yml"
        configuration.write_text(
            f"global: {{scrape_interval: {SCRAPE_SECONDS}s, evaluation_interval: 1s}}\n"
            f"rule_files: ['{ALERTS}']\n"
            "scrape_configs:\n"
            f"  - job_name: relationd\n    static_configs: [{{targets: {targets}}}]\n")
        self.log = open(folder / "prometheus.log", "w")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={configuration}",
             f"--storage.tsdb.path={folder / 'tsdb'}",
             f"--web.listen-address={self.address.removeprefix('http://')}"],
            stdout=self.log, stderr=self.log)

    def ask(self, path, **parameters):
        url = f"{self.address}{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)

    def query(self, text):
        answer = self.ask("/api/v1/query", query=text)
        assert answer["status"] == "success", text
        return answer["data"]["result"]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


def until(found, what):
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            answer = found()
        except OSError:
            answer = None
        if answer:
            return answer
        assert time.monotonic() < end, what
        time.sleep(0.2)


@pytest.fixture(scope="module")
def cluster():
    made = Cluster()
    yield made
    made.remove()


def shared_work(stubs, *servers):
    """A write at each server of a database, of which the others hear."""
    for server in servers:
        with grpc.insecure_channel(server.address) as channel:
            People(Relation(stubs, channel))(1)


@pytest.fixture(scope="module")
def scraped(tmp_path_factory, stubs, cluster):
    """A Prometheus that has scraped servers which had all kinds of work.

    The primary of the database stands for a standby of the second one, as in test_operator_files.
    """
    folder = tmp_path_factory.mktemp("prometheus")
    store = operator_files.new_store(cluster)
    with (
        Relationd(folder / "data") as running,
        Relationd(folder / "one", store=store) as one,
        Relationd(folder / "two", f"--store-read={store}", store=store) as two,
    ):
        prometheus = Prometheus(folder, running, one, two)
        try:
            up = 'up{job="relationd"} == 1'
            until(lambda: len(prometheus.query(up)) == 3, "the servers are scraped")
            with grpc.insecure_channel(running.address) as channel:
                relation = Relation(stubs, channel)
                people = People(relation)
                ann, bob = people(2)
                lasting = Watching(relation, user_id=bob, timeout=300)
                lasting.next()
                stream = Watching(relation, user_id=ann)
                stream.next()
                for _ in range(ROUNDS):
                    shared_work(stubs, one, two)
                    relation("AddFriends", user_id=ann, items=[{"user_id": bob}])
                    relation("CheckFriends", user_id=ann, user_ids=[bob])
                    relation("GetProfiles", user_id=ann, user_ids=[bob])
                    relation("ListFriends", user_id=ann)
                    relation("ReportPresence", items=[{"user_id": ann, "device_id": "d"}])
                    with pytest.raises(grpc.RpcError):
                        relation("CheckFriends", user_id=ann, user_ids=[])
                    time.sleep(SCRAPE_SECONDS)
                stream.cancel()
                time.sleep(4 * SCRAPE_SECONDS)
                yield prometheus
                lasting.cancel()
        finally:
            prometheus.stop()


def plain(query):
    """The query as a dashboard sends it when its variables have their values."""
    return query.replace("$__rate_interval", "1m").replace("$instance", ".*")


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_each_query_of_a_dashboard_has_an_answer(scraped, dashboard):
    empty = []
    for title, query in operator_files.queries(dashboard):
        if not scraped.query(plain(query)) and title not in MAY_BE_EMPTY:
            empty.append((title, query))
    assert not empty


def test_the_rules_are_loaded_and_evaluated(scraped):
    groups = until(
        lambda: [group for group in scraped.ask("/api/v1/rules")["data"]["groups"]
                 if all(rule["health"] == "ok" for rule in group["rules"])],
        "the rules are evaluated")
    assert {rule["name"] for rule in groups[0]["rules"]} == set(operator_files.alerts())


def test_a_server_that_is_well_sets_off_no_alert(scraped):
    firing = [alert for alert in scraped.ask("/api/v1/alerts")["data"]["alerts"]
              if alert["state"] == "firing"]
    assert firing == []


def test_scraping_leaves_no_warning(scraped):
    targets = scraped.ask("/api/v1/targets")["data"]["activeTargets"]
    assert [(one["health"], one["lastError"]) for one in targets] == [("up", "")] * 3
