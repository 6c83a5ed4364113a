"""A real browser: which pages may call, and what they read."""

import pathlib

import pytest
from browser import CHROMIUM, DRIVER, IN_MEMORY, Browser, Pages
from relationd import Relationd

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="Debian's chromium and chromium-driver are missing")

JSON = """
    const [server, name] = args;
    const answer = await fetch(server + "/relation.v1.AppService/CreateApp", {
        method: "POST", headers: {"content-type": "application/json"},
        body: JSON.stringify({name})});
    return [answer.status, await answer.json()];
"""
WEB = """
    const [server] = args;
    const answer = await fetch(server + "/relation.v1.AppService/ListApps", {
        method: "POST", headers: {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"},
        body: new Uint8Array(5)});
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const length = new DataView(bytes.buffer).getUint32(1);
    return [bytes[0], bytes[5 + length], new TextDecoder().decode(bytes.slice(10 + length))];
"""
STREAM = """
    const [server, user] = args;
    const message = new TextEncoder().encode(JSON.stringify({userId: user, heartbeatMs: 1000}));
    const body = new Uint8Array(5 + message.length);
    new DataView(body.buffer).setUint32(1, message.length);
    body.set(message, 5);
    const stop = new AbortController();
    const answer = await fetch(server + "/relation.v1.ChangeService/Watch", {
        method: "POST", headers: {"content-type": "application/connect+json"},
        body, signal: stop.signal});
    const reader = answer.body.getReader();
    let text = "", parts = 0;
    while (parts < 2) {
        const {value, done} = await reader.read();
        if (done) break;
        parts += 1;
        text += new TextDecoder().decode(value);
    }
    stop.abort();
    return [answer.status, parts, text];
"""
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "Examples/browser/index.html"
# The example shows a user's friends, and then the first of its changes.
SHOW = """
    const [server, user] = args;
    const form = document.querySelector("form");
    form.server.value = server;
    form.user.value = user;
    form.requestSubmit();
    return await told("ol li");
"""
TOLD = """
    async function told(which) {
        for (let tries = 0; tries < 500; tries++) {
            const found = [...document.querySelectorAll(which)].map(one => one.textContent);
            const status = document.querySelector("[role=status]").textContent;
            if (found.length > 0 || status) return [found, status];
            await new Promise(done => setTimeout(done, 20));
        }
        return [[], "nothing came"];
    }
"""
# A form, and a request of which a browser asks nothing before: neither may write.
SIMPLE = """
    const [server, name] = args;
    await fetch(server + "/relation.v1.AppService/CreateApp", {
        method: "POST", mode: "no-cors", headers: {"content-type": "text/plain"},
        body: JSON.stringify({name})});
    return "sent";
"""


@pytest.fixture(scope="module")
def pages():
    made = Pages(example=EXAMPLE.read_bytes())
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory, pages):
    """A server that pages of `localhost` may call, and those of `127.0.0.1` not."""
    data = tmp_path_factory.mktemp("relationd") / "data"
    with Relationd(data, "--browser-origins", f"http://localhost:{pages.port}") as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    with Browser("--host-resolver-rules=MAP evil.example 127.0.0.1") as made:
        yield made


def names(relation):
    return [app.name for app in relation("ListApps", page_size=100).apps]


def test_row_81_a_page_of_a_listed_origin_calls(browser, pages, server, relation, people):
    (ann,) = people(1)
    browser.go(f"http://localhost:{pages.port}/")
    address = f"http://{server.address}"
    status, told = browser.ask(JSON, address, "by a page")
    assert (status, told["app"]["name"]) == (200, "by a page")
    assert "by a page" in names(relation)
    first, last, trailers = browser.ask(WEB, address)
    assert (first, last) == (0, 128) and "grpc-status: 0\r\n" in trailers
    status, parts, text = browser.ask(STREAM, address, ann)
    assert (status, parts) == (200, 2) and "SYNC" in text


def test_row_81_a_page_of_another_origin_reads_and_writes_nothing(browser, pages, server, relation):
    browser.go(f"http://127.0.0.1:{pages.port}/")
    address = f"http://{server.address}"
    for script in (JSON, WEB, STREAM):
        assert browser.ask(script, address, "foreign") == "TypeError"
    assert browser.ask(SIMPLE, address, "foreign") == "sent"
    assert "foreign" not in names(relation)


def test_row_80_a_page_with_a_name_for_this_machine_is_refused(browser, server, relation):
    # The page is the server's own answer, so its origin is the server under another name.
    address = f"http://evil.example:{server.port}"
    browser.go(f"{address}/relation.v1.AppService/ListApps?encoding=json&message=%7B%7D")
    status, told = browser.ask(JSON, "", "rebound")
    assert (status, told["code"]) == (403, "permission_denied")
    assert "evil.example" in told["message"] and "rebound" not in names(relation)


def test_the_example_shows_friends_and_follows_changes(browser, pages, server, relation, people):
    ann, bob, cem = people(3)
    relation("AddFriends", user_id=ann, items=[{"user_id": bob, "source": "Web"}])
    browser.go(f"http://localhost:{pages.port}/example")
    assert browser.ask(TOLD + SHOW, f"http://{server.address}", ann) == [[bob], ""]
    # The stream begins with the present state; a later change comes on top.
    assert browser.ask(TOLD + "return (await told('ul li'))[0].length > 0")
    relation("AddToBlacklist", user_id=ann, user_ids=[cem])
    newest = TOLD + """
        for (let tries = 0; tries < 500; tries++) {
            const [found] = await told("ul li");
            if (found[0].includes(args[0])) return found[0];
            await new Promise(done => setTimeout(done, 20));
        }
    """
    assert "BLACKLIST" in browser.ask(newest, cem)


def test_an_error_is_shown_in_the_example(browser, pages, server):
    browser.go(f"http://localhost:{pages.port}/example")
    friends, status = browser.ask(TOLD + SHOW, f"http://{server.address}", "unknown")
    assert not friends and status.startswith("not_found: ")


USED = """
    localStorage.kept = sessionStorage.kept = document.cookie = 'kept=1';
    await new Promise(done => {
        const asked = indexedDB.open('kept');
        asked.onupgradeneeded = () => asked.result.createObjectStore('kept');
        asked.onsuccess = () => { asked.result.close(); done(); };
    });
    console.error('kept');
    open('/other');
    return 'used';
"""
LEFT = """
    return {
        local: {...localStorage}, session: {...sessionStorage}, cookie: document.cookie,
        databases: await indexedDB.databases(), width: innerWidth,
        dark: matchMedia('(prefers-color-scheme: dark)').matches,
        clipboard: (await navigator.permissions.query({name: 'clipboard-read'})).state,
        pages: history.length,
    };
"""
LOGS = {"goog:loggingPrefs": {"browser": "ALL"}}


@pytest.mark.parametrize("profile", [[], [IN_MEMORY]])
def test_the_next_user_of_a_browser_finds_nothing_of_the_last_one(pages, profile):
    address = f"http://127.0.0.1:{pages.port}/"
    # No permission is granted in memory.
    same = {"pages", "clipboard"} if profile else {"pages"}

    def begin():
        return Browser("--window-size=1000,700", *profile, capabilities=LOGS)

    def logged(one):
        return one._say("POST", f"/session/{one.session}/se/log", {"type": "browser"})

    with begin() as first:
        Browser.end_kept()
        first.go(address)
        new = first.ask(LEFT)
        first.send("Browser.grantPermissions", origin=address, permissions=["clipboardReadWrite"])
        first.look(400, "dark")
        assert first.ask(USED) == "used"
        used = first.ask(LEFT)
        assert all(used[name] != new[name] for name in new.keys() - same), used
    with begin() as second:
        assert second.process is first.process
        assert logged(second) == []
        second.go(address)
        assert second.ask(LEFT) == new
        assert len(second._say("GET", f"/session/{second.session}/window/handles")) == 1


def test_a_browser_with_other_arguments_or_one_that_ended_is_another_process():
    with Browser() as first:
        pass
    with Browser("--window-size=700,700") as second:
        assert second.process is not first.process and first.process.poll() is not None
        second._say("DELETE", f"/session/{second.session}")
    with Browser("--window-size=700,700") as third:
        assert third.process is not second.process and second.process.poll() is not None
        assert third.ask("return 1") == 1
