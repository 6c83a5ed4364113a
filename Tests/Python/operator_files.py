"""The dashboards and alert rules that the repository offers to operators."""

import json
import re

from relationd import ROOT

ALERTS = ROOT / "Packaging" / "prometheus" / "alerts.yml"
ALERT_TESTS = ROOT / "Packaging" / "prometheus" / "alerts_test.yml"
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
