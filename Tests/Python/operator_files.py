"""The dashboards and alert rules that the repository offers to operators."""

import json
import re
import subprocess

from relationd import ROOT, executable

ALERTS = ROOT / "Packaging" / "prometheus" / "alerts.yml"
ALERT_TESTS = ROOT / "Packaging" / "prometheus" / "alerts_test.yml"
SCRAPE = ROOT / "Packaging" / "prometheus" / "scrape.yml"
DASHBOARDS = sorted((ROOT / "Packaging" / "grafana").glob("*.json"))
RUNBOOKS = ROOT / "docs" / "runbooks"

# Words of the query language, functions and labels: what is left of a query is metrics.
NAME = re.compile(r"\b(?:relation|process)_[a-z_]+\b")


def queries(dashboard):
    """Each panel's title with its queries."""
    for panel in json.loads(dashboard.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def alerts():
    """The names of the alerts, in their order."""
    return re.findall(r"- alert: (\w+)", ALERTS.read_text())


def metrics(text):
    """The families that a query, or a text of rules, names."""
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for name in NAME.findall(text)}
    return names


def new_database(cluster, name):
    """The address of a new database of a PostgreSQL."""
    command = ["psql", "-qX", f"{cluster.address}/postgres", "-c", f"CREATE DATABASE {name}"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return f"{cluster.address}/{name}"


def new_store(cluster, name="observed"):
    """The address of a new database with the tables of a store."""
    store = new_database(cluster, name)
    command = [executable("relationd"), "init", "--store", store, "--list-keys"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return store
