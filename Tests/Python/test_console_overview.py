"""The page Overview: live plots of the server's numbers, and tables of its calls."""

import contextlib
import os
import subprocess

import pytest
from browser import UNTIL
from console import Console, console, console_address, needs_browser  # noqa: F401
from hands import ENTER, Hands
from relationd import Relationd, executable

pytestmark = needs_browser
# The page reads when its tab comes to sight again, so a test need not wait for the next time.
READ = "document.dispatchEvent(new Event('visibilitychange'))"
PLOT = "[...document.querySelectorAll('.plot')].find(each => each.querySelector('h2')" \
    ".textContent === arguments[0])"
LINE = f"{PLOT}?.querySelector('.line').getAttribute('d')"
VALUE = f"{PLOT}?.querySelector('strong')?.textContent"
# Makes calls as another page would.
CALLS = """
    await Promise.all(Array.from({length: 40}, () => fetch(
        `/relation.v1.${args[1]}`, {method: 'POST', body: JSON.stringify(args[2]),
        headers: {'content-type': 'application/json'}})));
"""


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def show(console):  # noqa: F811
    console.show("overview")
    console.until("document.querySelector('.state').textContent.includes('ready')")
    console.ask(READ)
    console.until(LINE, "Calls")


def rate_after(console, method, request, plot):  # noqa: F811
    """The rate above 1 that a plot shows after forty calls.

    The page makes the calls and looks by one script: a rate is shown for two seconds, and a busy
    machine may take longer between two commands.
    """
    script = f"{CALLS} {READ}; " + UNTIL % f"parseFloat({VALUE}) > 1 && {VALUE}"
    rate = console.ask(script, plot, method, request)
    assert rate, f"{plot} did not rise"
    return rate


def test_the_rate_and_the_latency_of_calls_rise_with_calls(console):  # noqa: F811
    show(console)
    assert console.ask(f"return {PLOT}.querySelectorAll('text').length", "Calls") >= 6
    rate = rate_after(console, "FriendService/ListFriends", {"userId": "0"}, "Calls")
    assert rate.endswith(" /s")
    assert console.until(VALUE, "Latency").endswith(" ms")
    # Both are read by one script: the next sample changes them together.
    label = f"{PLOT}.querySelector('[role=img]').ariaLabel"
    label = console.until(f"{label}.includes({VALUE}) && {label}", "Calls")
    assert label.startswith("Calls now: ") and "highest in 1 min" in label
    # The first rate above 1 may be that of the page's own calls.
    assert console.until(
        "document.querySelector('.tables table').textContent.includes('FriendService/ListFriends')")
    assert console.ask("return document.querySelector('.page').textContent.includes('4,039')")


def test_a_server_on_a_database_shows_its_numbers_and_no_disk(tmp_path):
    if "RELATION_POSTGRES" not in os.environ:
        pytest.skip("no database to make a store on")
    with using(tmp_path) as running, Console(running.pages) as console:  # noqa: F811
        show(console)
        text = console.until("document.querySelector('.counts')?.textContent")
        assert "Connections to the database" in text and "disk" not in text, text
        assert " 0 B" not in console.ask("return document.querySelector('.page').textContent")
        console.show("apps", app=1, part="server")
        text = console.until("document.querySelector('.counts')?.textContent")
        assert "EnginePostgreSQL" in text and " 0 B" not in text and "On disk" not in text, text


@contextlib.contextmanager
def using(tmp_path):
    """A server whose rows are in a database of its own."""
    server, name = os.environ["RELATION_POSTGRES"], f"console_{os.getpid()}"
    def psql(words):
        subprocess.run(["psql", "-qX", f"{server}/postgres", "-c", words], check=True)
    psql(f"CREATE DATABASE {name}")
    try:
        store = f"{server}/{name}"
        subprocess.run([executable("relationd"), "init", "--store", store], check=True,
                       capture_output=True)
        with Relationd(tmp_path / "data", store=store) as running:
            yield running
    finally:
        psql(f"DROP DATABASE {name}")


def test_failed_calls_are_told_by_their_reason_and_code(console, hands):  # noqa: F811
    show(console)
    rate_after(console, "FriendService/ListFriends", {"userId": ""}, "Failed calls")
    text = "document.querySelector('.tables').textContent"
    told = console.until(f"{text}.includes('INVALID_ARGUMENT') && {text}")
    assert "ListFriends" in told and "INVALID_FIELD" in told
    hands.sees_failed_calls(400)


def test_a_look_up_that_finds_no_one_is_no_failure(console, hands):  # noqa: F811
    show(console)
    rate_after(console, "ProfileService/GetVisibility", {"userId": "unknown"}, "Calls")
    assert console.ask(f"return {VALUE}", "Failed calls") == "0 /s"
    assert "NOT_FOUND" not in console.ask("return document.querySelector('.tables').textContent")
    hands.sees_failed_calls(404)


# What the page says of a server with these numbers, beside those of a server that is well.
HEALTH = """
    const [{problems}, {Pair, Reading}] = await Promise.all([
        import('/console/overview/health.js'), import('/console/overview/metrics.js')]);
    const before = new Reading('relation_connections_max 100', 0);
    return problems(new Pair(before, new Reading(args[0], 60_000)), 10_000_000_000)
        .map(({kind, text}) => `${kind}: ${text}`);
"""


@pytest.mark.parametrize("numbers, said", [
    ("relation_connections 79\nrelation_connections_max 100", []),
    ("relation_connections 80\nrelation_connections_max 100",
     ["warn: 80 of 100 connections are in use."]),
    ("relation_store_free_bytes 1\nrelation_store_reserve_bytes 1024",
     ["bad: The disk is full: 1 B are free, and below 1 KiB writes are refused."]),
    ("relation_store_free_bytes 2047\nrelation_store_reserve_bytes 1024",
     ["warn: The disk is nearly full: 2 KiB are free. Writes end below 1 KiB."]),
    ("relation_store_free_bytes 2048\nrelation_store_reserve_bytes 1024", []),
    ("relation_store_writes_stopped 1", ["bad: The store accepts no write."]),
    ('relation_calls_total{method="x",code="INTERNAL"} 2\nrelation_hooks_stopped 1',
     ["bad: 2 calls failed with INTERNAL in the last 10 minutes.",
      "warn: 1 webhooks are stopped."]),
    ('relation_calls_total{method="x",code="NOT_FOUND"} 2', []),
    ("relation_refused_writes_total 3",
     ["bad: 3 writes were refused because too much waited."]),
    ("relation_backup_interval_seconds 3600\n"
     "relation_backup_last_success_timestamp_seconds 9992800",
     ["warn: The newest backup is 2 hours old."]),
    ("relation_backup_interval_seconds 3600\nprocess_start_time_seconds 9992800\n"
     "relation_backup_last_success_timestamp_seconds 0", ["warn: There is no backup."]),
    ("relation_backup_interval_seconds 0\nrelation_backup_last_success_timestamp_seconds 0", []),
])  # fmt: skip
def test_the_page_says_whether_all_is_well_and_why_not(console, numbers, said):  # noqa: F811
    console.show("overview")
    assert console.ask(HEALTH, numbers) == said


# The labels of an axis up to a value, by the format of a function of the shared ones.
TICKS = """
    const [{Plot}, dom] = await Promise.all([
        import('/console/overview/plot.js'), import('/console/shared/dom.js')]);
    return new Plot('', ['x'], dom[args[0]], null).ticks(args[1]).map(({text}) => text);
"""


@pytest.mark.parametrize("format, top, labels", [
    ("number", 1, ["0", "1"]), ("number", 5, ["0", "5"]), ("number", 10, ["0", "5", "10"]),
    ("bytes", 1, ["0 B", "1 B"]), ("bytes", 1024, ["0 B", "512 B", "1 KiB"]),
])  # fmt: skip
def test_an_axis_has_no_label_twice_and_no_half_of_a_thing(
        console, format, top, labels):  # noqa: F811
    console.show("overview")
    assert console.ask(TICKS, format, top) == labels


def test_plots_are_kept_while_other_pages_are_looked_at(console):  # noqa: F811
    show(console)
    console.ask(READ)
    before = console.until(f"{PLOT}.querySelectorAll('.line')[0].getAttribute('d').length", "Calls")
    console.ask("location.hash = '#events'")
    console.until("document.querySelector('.page-events')")
    console.ask("location.hash = '#overview'")
    assert console.until(f"{LINE}?.length", "Calls") >= before


# A page that gets readings of the server as they were ten seconds apart, and draws them at once.
HISTORY = """
    const {past, Pair, Reading} = await import('/console/overview/metrics.js');
    const text = JSON.stringify({ages: [20, 10, 0], series: {
        'calls{code="OK"}': [1, null, 30], 'process_start_time_seconds': 5,
        'x_bucket{le="1"}': [0, 2, 4], 'x_bucket{le="+Inf"}': [0, 2, 4], none: null}});
    const all = past(text, 100_000);
    const pair = new Pair(all[0], new Reading(
        'calls{method="a",code="OK"} 40\\ncalls{method="b",code="OK"} 1\\n' +
        'process_start_time_seconds 5', 101_000));
    return [all.map(({at}) => at), all.map(each => each.sum('calls', {code: 'OK'})),
        all[2].sum('none'), new Pair(all[0], all[2]).quantile('x', 0.5),
        pair.growth('calls', {code: 'OK'}), pair.isTorn];
"""


def test_the_servers_own_readings_come_before_those_of_the_page(console):  # noqa: F811
    console.show("overview")
    assert console.ask(HISTORY) == [
        [80_000, 90_000, 100_000], [1, None, 30], None, 0.5, 40, False]


# Gives the golden figures the longest texts that they usually have.
LONG_FIGURES = """
    for (const value of document.querySelectorAll('.golden .value strong')) {
        value.textContent = '0.123 ms';
        value.nextSibling.textContent = 'p50, 345 s ago';
    }
    return [...document.querySelectorAll('.golden .plot > svg')].map(
        each => Math.round(each.getBoundingClientRect().top));
"""


def test_the_golden_figures_stand_in_one_row_with_their_plots(console):  # noqa: F811
    console.look(1280, "light")
    show(console)
    rate_after(console, "FriendService/ListFriends", {"userId": "0"}, "Calls")
    console.until(f"{PLOT}.querySelectorAll('strong').length === 2", "Latency")
    tops = console.ask(LONG_FIGURES)
    assert len(tops) == 4 and len(set(tops)) == 1, tops


def test_a_page_that_is_opened_has_the_numbers_from_before(console):  # noqa: F811
    # The server counts every ten seconds.
    console.show("overview")
    console.until("(async () => (await (await fetch('/console/history.json')).json())"
                  ".ages.length > 1)()")
    console.show("overview")
    # A line through one reading has no second point.
    console.until(f"{LINE}?.includes('L') || {LINE}?.split('M').length > 2", "Calls")


def test_a_plot_has_its_numbers_as_a_table_by_keys_alone(console, hands):  # noqa: F811
    show(console)
    console.ask("document.querySelector('.plot summary').focus()")
    hands.press(ENTER)
    rows = "[...document.querySelectorAll('.plot details tbody tr')]"
    row = console.until(f"{rows}[0]?.textContent")
    assert row.endswith(" /s")
    assert console.ask("return document.querySelector('.plot details th').scope") == "col"


def test_a_server_that_cannot_be_reached_is_said_and_comes_back(console, hands):  # noqa: F811
    show(console)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    console.send("Network.enable")
    console.send("Network.emulateNetworkConditions", offline=True, **network)
    console.ask(READ)
    console.until("document.querySelector('.state').textContent.includes("
                   "'cannot be reached since')")
    assert console.ask(f"return {LINE}", "Calls"), "the last numbers stay"
    console.send("Network.emulateNetworkConditions", offline=False, **network)
    console.ask(READ)
    console.until("document.querySelector('.state').textContent.includes('ready')")
    hands.sees_failed_calls()


def test_nothing_is_read_while_the_tab_is_hidden_or_after_another_page(console):  # noqa: F811
    show(console)
    counted = "performance.getEntriesByName(`${location.origin}/metrics`).length"
    console.ask("Object.defineProperty(document, 'hidden', {value: true, configurable: true})")
    before = console.ask(f"{READ}; await new Promise(done => setTimeout(done, 300));"
                         f"return {counted}")
    assert console.ask(f"{READ}; await new Promise(done => setTimeout(done, 100));"
                       f"return {counted}") == before
    console.ask(f"delete document.hidden; {READ}")
    console.until(f"{counted} > arguments[0]", before)
    console.ask("location.hash = '#explorer'")
    console.until("document.querySelector('.page-explorer')")
    console.ask("await new Promise(done => setTimeout(done, 100))")
    after = console.ask(f"return {counted}")
    assert console.ask(f"{READ}; await new Promise(done => setTimeout(done, 100));"
                       f"return {counted}") == after
