"""The dashboards, the alert rules and their runbooks fit each other, and fit the server."""

import re
import subprocess
import urllib.request

import operator_files
import pytest
from operator_files import ALERT_TESTS, ALERTS, DASHBOARDS, RUNBOOKS, SCRAPE
from postgres import Cluster
from relationd import Relationd, executable


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_rules_are_well_formed():
    assert "SUCCESS" in promtool("check", "rules", ALERTS)


def test_the_example_of_a_scrape_is_well_formed():
    assert "SUCCESS" in promtool("check", "config", "--syntax-only", SCRAPE)
    text = SCRAPE.read_text()
    assert "rule_files: [alerts.yml]" in text and "job_name: relationd\n" in text


def test_each_alert_comes_when_it_must():
    assert "SUCCESS" in promtool("test", "rules", ALERT_TESTS)
    tested = set(re.findall(r"alertname: (\w+)", ALERT_TESTS.read_text()))
    assert tested == set(operator_files.alerts())


def test_each_alert_has_a_runbook_and_each_runbook_an_alert():
    pages = {page.stem for page in RUNBOOKS.glob("*.md")} - {"README"}
    assert pages == set(operator_files.alerts())
    index = (RUNBOOKS / "README.md").read_text()
    for alert in operator_files.alerts():
        assert f"/docs/runbooks/{alert}.md" in ALERTS.read_text()
        assert f"[{alert}]({alert}.md)" in index
        text = (RUNBOOKS / f"{alert}.md").read_text()
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["What it means", "What callers see", "Look at", "Do"], alert


def test_there_are_the_six_dashboards():
    assert [dashboard.stem for dashboard in DASHBOARDS] == [
        "apps", "calls", "database", "overview", "storage", "watch"]


def test_runbooks_name_panels_that_there_are():
    titles = {title for dashboard in DASHBOARDS for title, _ in operator_files.queries(dashboard)}
    for page in RUNBOOKS.glob("*.md"):
        text = " ".join(page.read_text().split())
        for name in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", text):
            assert name in titles, f"{page.name} names {name}"


def told(server):
    with urllib.request.urlopen(server.pages + "/metrics", timeout=10) as answer:
        return set(re.findall(r"^# TYPE (\S+)", answer.read().decode(), re.MULTILINE))


@pytest.fixture(scope="module")
def families(server, tmp_path_factory):
    """The families of metrics of a server with a folder, and of one with a database.

    The primary stands for a standby. The second one records every call, and serves two databases.
    """
    cluster = Cluster()
    try:
        store = operator_files.new_store(cluster)
        other = operator_files.new_database(cluster, "other")
        subprocess.run([executable("relationd"), "databases", "add", "--store", store, "other",
                        other], check=True, capture_output=True, timeout=60)
        log = tmp_path_factory.mktemp("shared") / "log"
        with Relationd(log, f"--store-read={store}", "--audit-days=1", "--audit-calls=all",
                       store=store) as shared:
            return told(server) | told(shared)
    finally:
        cluster.remove()


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda path: path.stem)
def test_dashboards_ask_for_metrics_that_there_are(dashboard, families):
    for title, query in operator_files.queries(dashboard):
        unknown = operator_files.metrics(query) - families
        assert not unknown, f"{title}: {unknown}"


def test_alerts_ask_for_metrics_that_there_are(families):
    assert operator_files.metrics(ALERTS.read_text()) - families == set()
