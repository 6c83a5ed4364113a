"""The page Now: live plots of the server's numbers, and tables of its calls."""

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
    console.show("now")
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
    assert console.until(VALUE, "Latency of calls, without streams").endswith(" ms")
    label = console.ask(f"return {PLOT}.querySelector('[role=img]').ariaLabel", "Calls")
    assert rate in label and "highest in 1 min" in label
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
        assert "engine" in text and " 0 B" not in text and "on disk" not in text, text


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


def test_failed_calls_are_told_by_their_code(console, hands):  # noqa: F811
    show(console)
    rate_after(console, "FriendService/ListFriends", {"userId": "nobody"}, "Failed calls")
    text = "document.querySelector('.tables').textContent"
    told = console.until(f"{text}.includes('NOT_FOUND') && {text}")
    assert "ListFriends" in told
    hands.sees_failed_calls(404)


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
    console.ask("location.hash = '#try'")
    console.until("document.querySelector('.page-try')")
    console.ask("await new Promise(done => setTimeout(done, 100))")
    after = console.ask(f"return {counted}")
    assert console.ask(f"{READ}; await new Promise(done => setTimeout(done, 100));"
                       f"return {counted}") == after
