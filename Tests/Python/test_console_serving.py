"""The console's files, and the calls that come in beside them."""

import gzip
import http.client
import json
import pathlib
import re
import socket
import ssl
import subprocess
import time

import ports
import pytest
from relationd import executable
from test_metrics import metrics
from web import envelope

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "Sources/RelationConsole/Files"
# The contract as `make docs` writes it, by the path at which it is served.
CONTRACT = {"/reference": ("reference.html", "text/html; charset=utf-8"),
            "/openapi.json": ("openapi.json", "application/json")}  # fmt: skip
# With their types in comments, as a browser gets them, and as it fetches them.
MOST_SOURCES, MOST_BYTES, MOST_PACKED = 384 * 1_024, 260 * 1_024, 111 * 1_024
# What a type begins with in a line behind code, and a blank between the signs of code.
TYPE = re.compile(r"/\*\* @[^\n]*?\*/ ?")
GAP = re.compile(r"(?<=[][,;:{}()=?&|<>*]) | (?=[][{}()=?&|:<>*!])")
# The same of a style.
STYLE_GAP = re.compile(r"(?<=[,;:{}]) | (?=[{}])")
# A text in quotes, a template or its beginning, or a single sign.
STEP = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|.""")
# A comment that begins a line, with the blanks around it.
COMMENT = re.compile(r"^ *(?://[^\n]*|/\*.*?\*/ *)", re.MULTILINE | re.DOTALL)
CHECK = "/relation.v1.FriendService/CheckFriends"
CREATE = "/relation.v1.AppService/CreateApp"
WATCH = "/relation.v1.ChangeService/Watch"
JSON = {"content-type": "application/json"}
SECONDS = 20


def port_of(server):
    return int(server.pages.rsplit(":", 1)[1])


@pytest.fixture
def pages(server):
    """A connection to the pages of a server."""
    made = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=SECONDS)
    yield made
    made.close()


def files():
    """The files of the console: each page has a folder, and what pages share has one too."""
    return [path for path in FILES.rglob("*") if path.is_file()]


def ask(connection, path, method="GET", body=None, headers=None):
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    return answer, answer.read()


def call(connection, path, message, **headers):
    answer, body = ask(
        connection, path, "POST", json.dumps(message),
        JSON | {name.replace("_", "-"): value for name, value in headers.items()})
    return answer.status, json.loads(body)


def compact(line, gap=GAP):
    """A line without the blanks between signs, up to what may not be a code, or go on with a text."""
    open_, end, texts = 0, len(line), []
    has_template = "`" in line or "$" in line
    for piece in STEP.finditer(line):
        open_ += (piece[0] == "{") - (piece[0] == "}")
        holds = piece[0][0] == "`" and piece[0].count("{") != piece[0].count("}")
        if piece[0] in "'\"`/" or holds or open_ < 0 and has_template:
            end = piece.start()
            break
        texts += [piece.span()] * (len(piece[0]) > 1)
    return gap.sub(lambda blank: "" if blank.start() < end and not any(
        first < blank.start() < last for first, last in texts) else " ", line)


def bare(path):
    """A file as the server gives it: each line without its first comment and its first blanks,
    without blanks between signs and semicolons before the end of a block, and a script without
    types."""
    text = path.read_text()
    if path.suffix in (".js", ".css"):
        text = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
        text = re.sub(r"^ +", "", text, flags=re.MULTILINE)
    if path.suffix == ".js":
        text = "\n".join(map(compact, TYPE.sub("", text).split("\n")))
    if path.suffix == ".css":
        text = "\n".join(compact(line, STYLE_GAP) for line in text.split("\n"))
    if path.suffix in (".js", ".css"):
        # The end of a block ends the statement before it.
        text = re.sub(r";(?=\n*})", "", text)
    return text.encode()


def test_each_file_is_shown_as_it_stands_in_the_sources_without_comments(pages):
    names = sorted(path.relative_to(FILES).as_posix() for path in files())
    assert "index.html" in names
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
    for name in names:
        path = "/" if name == "index.html" else f"/console/{name}"
        answer, body = ask(pages, path)
        assert answer.status == 200, name
        assert body == bare(FILES / name), name
        assert answer.headers["content-type"].startswith(kinds[pathlib.Path(name).suffix])
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", CONTRACT)
def test_the_contract_is_shown_as_it_stands_in_the_documents(pages, path):
    name, kind = CONTRACT[path]
    content = (ROOT / "docs" / name).read_bytes()
    for accepted in ("", "gzip", "br, gzip"):
        answer, body = ask(pages, path, headers={"accept-encoding": accepted})
        is_packed = answer.headers["content-encoding"] == "gzip"
        assert answer.status == 200 and is_packed == ("gzip" in accepted)
        assert (gzip.decompress(body) if is_packed else body) == content
        assert int(answer.headers["content-length"]) == len(body)
        assert answer.headers["content-type"] == kind
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        head, nothing = ask(pages, path, "HEAD", headers={"accept-encoding": accepted})
        assert head.status == 200 and nothing == b""
        for field in ("content-length", "content-type", "content-encoding"):
            assert head.headers[field] == answer.headers[field]
    # A call has its own path, so this is none.
    assert ask(pages, path, "POST", "{}", JSON)[0].status == 404


def test_the_reference_may_run_its_own_script_and_nothing_else(pages):
    answer, _ = ask(pages, "/reference")
    policy = dict(part.strip().split(" ", 1)
                  for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", policy["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", policy["style-src"])
    assert policy["require-trusted-types-for"] == "'script'"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_scripts_are_compressed_for_a_browser_that_takes_it(pages):
    content = bare(FILES / "app.js")
    answer, body = ask(pages, "/console/app.js", headers={"accept-encoding": "gzip, br"})
    assert answer.headers["content-encoding"] == "gzip" and len(body) < len(content) / 2
    assert gzip.decompress(body) == content


def test_the_counters_of_the_last_ten_minutes_are_sums_and_name_no_method(pages):
    end = time.monotonic() + SECONDS
    # The first reading may be from before the server took calls.
    while True:
        answer, body = ask(pages, "/console/history.json")
        assert answer.status == 200 and answer.headers["content-type"] == "application/json"
        told = json.loads(body)
        if 'relation_calls_total{code="OK"}' in told["series"]:
            break
        assert time.monotonic() < end, told
        time.sleep(0.1)
    ages = told["ages"]
    assert ages == sorted(ages, reverse=True) and 0 < len(ages) <= 61
    for name, values in told["series"].items():
        assert re.fullmatch(r'\w+(\{(code|reason|le)="[^"]+"\})?', name), name
        assert not isinstance(values, list) or len(values) == len(ages), name
    # The numbers that the page draws are among them.
    drawn = re.findall(r"'((?:relation|process)_\w+)'", "".join(
        (FILES / f"overview/{name}.js").read_text() for name in ("overview", "health")))
    names = {re.sub(r"(_bucket)?(\{.*)?$", "", name) for name in told["series"]}
    missing = {name for name in drawn if not name.startswith((
        "relation_database_", "relation_feed_", "relation_store_", "relation_cache_",
        "relation_backup_"))} - names
    assert not missing, missing


def test_no_module_imports_itself_over_others():
    imports = {
        path: {(path.parent / name).resolve() for name in re.findall(
            r"^(?:import|export|\}).* from '([^']+)'", path.read_text(), re.MULTILINE)}
        for path in files() if path.suffix == ".js"
    }
    assert len(imports) > 20 and imports[FILES / "app.js"]
    for name in imports:
        reached, ahead = set(), list(imports[name])
        while ahead:
            module = ahead.pop()
            if module not in reached:
                reached.add(module)
                ahead += imports[module]
        assert name not in reached, name


# What the pages called things at first, in place of the words of people.
OLD_WORDS = (
    "Leave it", "Do it", "Begin anew", "Runs since", "Writes that wait", "All about it",
    "without a credential", "Who calls", "has another profile", "nick changed",
    "has another friend", "has another status")
# The same, of words that are good ones elsewhere: as a whole label of a script or of a document.
OLD_LABEL = re.compile(r"(['>]|\*\*)(?:Now|Try|Work|Whole)(?:['<]|\*\*)")


def test_no_word_of_old_stands_in_a_page_a_document_or_a_program():
    texts = {path.name: bare(path).decode() for path in files()}
    # A document may say of a caller that it comes without a credential, and a reason to leave an
    # item out.
    texts |= {str(path): path.read_text().replace("without a credential", "")
              .replace("Leave it out", "")
              for kind in ("*.md", "docs/**/*.md", "docs/*.html", "proto/**/*.proto",
                           "Examples/**/*.md", "Sources/**/*.swift")
              for path in ROOT.glob(kind)}
    found = [(name, word) for name, text in texts.items() for word in OLD_WORDS if word in text]
    found += [(name, label[0]) for name, text in texts.items()
              for label in OLD_LABEL.finditer(text) if not name.endswith((".swift", ".html"))]
    assert len(texts) > 1_000 and found == []


def test_all_files_together_are_small():
    assert sum(path.stat().st_size for path in files()) <= MOST_SOURCES
    shown = [bare(path) for path in files()]
    assert sum(map(len, shown)) <= MOST_BYTES
    # The server compresses with the same effort.
    assert sum(len(gzip.compress(content, 1)) for content in shown) <= MOST_PACKED


# What a script is made of: a comment, a text, the text of a template up to code or its end, a
# regular expression behind what no value ends with, and a bracket.
PIECES = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<text> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
    | (?P<regex> (?<=[(,=:?|&!\[]) \s* /(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\]|\\.)*\])+/ )
    | (?P<bracket> [`{}] )""", re.VERBOSE | re.DOTALL)
TEMPLATE = re.compile(r"(?:[^`$\\]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)


def texts_over_lines(source):
    """The texts of a script that go over the end of a line."""
    found, open_, at = [], [], 0
    while piece := PIECES.search(source, at):
        at, bracket = piece.end(), piece["bracket"]
        if piece["text"] and "\n" in piece["text"]:
            found.append(piece["text"])
        if bracket == "{":
            open_.append("code")
        elif bracket == "`" or bracket == "}" and open_.pop() == "template":
            text = TEMPLATE.match(source, at)
            if "\n" in text[0]:
                found.append(text[0])
            at = text.end()
            if text[1] == "${":
                open_.append("template")
    assert open_ == []
    return found


def test_no_text_of_a_script_goes_over_the_end_of_a_line():
    """The server takes off the blanks with which a line begins."""
    assert texts_over_lines("f(`a${b(`c${{d}}`)}\n`, /[`/]/, '`')") == ["\n`"]
    for path in files():
        if path.suffix == ".js":
            assert texts_over_lines(path.read_text()) == [], path.name


def test_the_policy_lets_the_page_fetch_and_run_nothing_from_elsewhere(pages):
    for path in ("/", "/console/app.js"):
        answer, _ = ask(pages, path)
        policy = dict(part.strip().split(" ", 1)
                      for part in answer.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert policy["require-trusted-types-for"] == "'script'"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_no_file_names_another_place():
    """Links to pages of the web are words for people; nothing is loaded from there."""
    for path in files():
        for found in re.findall(r"https?://[^\s'\"`)]+", path.read_text()):
            assert found.startswith(("http://www.w3.org/", "http://127.0.0.1", "https://$")), found


def test_calls_and_pages_share_a_connection(pages, people):
    ann, bob = people(2)
    for _ in range(20):
        status, answer = call(pages, CHECK, {"userId": ann, "userIds": [bob]})
        assert status == 200 and len(answer["results"]) == 1
        answer, _ = ask(pages, "/livez")
        assert answer.status == 200


def test_an_error_of_a_call_is_that_of_the_service(pages):
    status, answer = call(pages, CHECK, {"userId": "no one", "userIds": []})
    assert status == 400 and answer["code"] == "invalid_argument"
    answer, _ = ask(pages, "/relation.v1.NoService/NoCall", "POST", "{}", JSON)
    assert answer.status == 404


def test_a_long_request_and_a_long_answer_pass(pages, people):
    users = people(1_000)
    status, answer = call(pages, CHECK, {"userId": users[0], "userIds": users[1:]})
    assert status == 200 and len(answer["results"]) == 999
    assert len(json.dumps(answer)) > 64 * 1024


def test_a_field_that_is_about_the_connection_is_not_passed_on(pages, people):
    users = people(2)
    body = json.dumps({"userId": users[0], "userIds": users[1:]})
    fields = JSON | {"connection": "keep-alive, x-app-id", "x-app-id": "4000000000"}
    answer, text = ask(pages, CHECK, "POST", body, fields)
    assert answer.status == 200, text


def test_a_page_of_this_origin_may_call_and_no_other(pages, server):
    own = f"http://127.0.0.1:{port_of(server)}"
    assert call(pages, CREATE, {"name": "own"}, origin=own)[0] == 200
    for origin in ("http://evil.example", "null", own.replace("http", "https")):
        status, answer = call(pages, CREATE, {"name": "evil"}, origin=origin)
        assert (status, answer["code"]) == (403, "permission_denied"), origin
    # A page gave its own name the address of this machine.
    host = f"evil.example:{port_of(server)}"
    status, answer = call(pages, CREATE, {"name": "evil"}, origin=f"http://{host}", host=host)
    assert (status, answer["code"]) == (403, "permission_denied")
    # No page asks before a call to its own origin, so no one else is answered.
    answer, _ = ask(pages, CREATE, "OPTIONS")
    assert answer.status == 405


def test_a_stream_comes_as_it_is_made_and_ends_with_its_reader(pages, server, people):
    ann, bob = people(2)
    body = envelope(json.dumps({"userId": ann}).encode())
    pages.request("POST", WATCH, body, {"content-type": "application/connect+json"})
    answer = pages.getresponse()
    text = b""
    while b"SYNC_COMPLETED" not in text:
        text += answer.read1()
    people.relation("AddFriends", user_id=ann, items=[{"user_id": bob}], force=True)
    while b"ADD_FRIEND" not in text:
        text += answer.read1()

    def open_calls():
        return metrics(server)['relation_open_calls{method="relation.v1.ChangeService/Watch"}']

    pages.close()
    answer.close()
    end = time.monotonic() + SECONDS
    while open_calls() > 0:
        assert time.monotonic() < end, "the call goes on without its reader"
        time.sleep(0.02)


def test_half_a_request_is_given_up_with_its_connection(server):
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=SECONDS) as half:
        half.sendall(
            f"POST {CHECK} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n"
            "content-type: application/json\r\n\r\n{".encode())
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=SECONDS) as refused:
        # The method is unknown, so the server answers before the request's end.
        refused.sendall(
            b"POST /relation.v1.No/No HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n"
            b"content-type: application/json\r\n\r\n{")
        text = b""
        while part := refused.recv(4096):
            text += part
        assert text.startswith(b"HTTP/1.1 404") and b"connection: close" in text.lower()


def test_a_long_head_is_refused_also_before_a_call(server):
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=SECONDS) as made:
        made.sendall(f"POST {CHECK} HTTP/1.1\r\nhost: localhost\r\nx: {'a' * 20_000}".encode())
        assert made.recv(4096).startswith(b"HTTP/1.1 431")


def test_a_call_before_the_server_takes_any_is_told_so_and_pages_go_on():
    port, away = ports.take(), ports.take()
    # Its database is away, so it waits.
    waiting = subprocess.Popen(
        [executable("relationd"), "serve", "--store", f"postgresql://x@127.0.0.1:{away}/x",
         "--insecure", "--listen", "127.0.0.1:0", "--metrics-listen", f"127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(2):
            made = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            connected(made)
            status, answer = call(made, CREATE, {"name": "x"})
            assert (status, answer["code"]) == (503, "unavailable")
            made.close()
        made = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        assert ask(made, "/")[0].status == 200
        made.close()
    finally:
        waiting.terminate()
        assert waiting.wait(SECONDS) == 0


def connected(connection):
    """Connects, once the server listens."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            return connection.connect()
        except ConnectionRefusedError:
            assert time.monotonic() < end, "the pages do not come"
            time.sleep(0.02)


def test_the_console_can_be_switched_off(start):
    running = start("data", "--no-console")
    made = http.client.HTTPConnection("127.0.0.1", port_of(running), timeout=SECONDS)
    answer, body = ask(made, "/")
    assert answer.status == 200 and b"/metrics" in body and b"console" not in body
    for path in ("/console/app.js", *CONTRACT):
        assert ask(made, path)[0].status == 404
    assert ask(made, CHECK, "POST", "{}", JSON)[0].status == 405
    made.close()


def test_without_credentials_no_other_machine_may_reach_the_console(start):
    running = start("data", "--metrics-listen", "0.0.0.0:0", "--metrics-allow-plaintext")
    made = http.client.HTTPConnection("127.0.0.1", port_of(running), timeout=SECONDS)
    assert ask(made, "/metrics")[0].status == 200
    assert ask(made, "/console/app.js")[0].status == 404
    assert ask(made, CREATE, "POST", '{"name": "x"}', JSON)[0].status == 405
    made.close()


def test_over_tls_a_call_needs_its_credential(start, authority, certificate):
    running = start(
        "data", "--metrics-listen", "0.0.0.0:0", "--tls-cert", str(certificate.path),
        "--tls-key", str(certificate.key_path), insecure=False)
    context = ssl.create_default_context(cadata=authority.pem.decode())
    made = http.client.HTTPSConnection(
        "127.0.0.1", port_of(running), timeout=SECONDS, context=context)
    assert ask(made, "/")[0].headers["content-type"].startswith("text/html")
    origin = f"https://127.0.0.1:{port_of(running)}"
    status, answer = call(made, CREATE, {"name": "x"}, origin=origin)
    assert (status, answer["code"]) == (401, "unauthenticated")
    made.close()


def test_clients_that_must_show_certificates_get_no_way_around_it(start, authority, certificate):
    client_ca = certificate.path.parent / "client-ca.pem"
    client_ca.write_bytes(authority.pem)
    running = start(
        "data", "--tls-cert", str(certificate.path), "--tls-key", str(certificate.key_path),
        "--client-ca", str(client_ca), "--require-client-cert", insecure=False)
    made = http.client.HTTPConnection("127.0.0.1", port_of(running), timeout=SECONDS)
    assert ask(made, "/metrics")[0].status == 200
    assert ask(made, "/console/app.js")[0].status == 404
    assert ask(made, CREATE, "POST", '{"name": "x"}', JSON)[0].status == 405
    made.close()
