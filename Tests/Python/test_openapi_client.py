"""A client that openapi-python-client makes from the OpenAPI document calls a real server.

The server asks for credentials, so that the document's security is tried too.
"""

import importlib
import json
import subprocess
import sys

import httpx
import pytest
from contract_model import ROOT
from credentials import init
from relationd import Relationd
from test_openapi import faults

DOCUMENT = ROOT / "docs/openapi.json"
NAME = "relation_openapi"
USERS = [f"user{number:02}" for number in range(25)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The package of the client, as the generator writes it without a complaint."""
    folder = tmp_path_factory.mktemp("openapi")
    settings = folder / "settings.yaml"
    # Its own tools to format what it wrote are not needed.
    settings.write_text("post_hooks: []\n")
    done = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DOCUMENT),
         "--output-path", str(folder / NAME), "--meta", "none", "--config", str(settings),
         "--fail-on-warning"],
        capture_output=True, text=True, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout.upper(), done.stdout
    sys.path.insert(0, str(folder))
    yield importlib.import_module(NAME)
    sys.path.remove(str(folder))


class Calls:
    """Makes calls with the client: `calls("FriendService", "CheckFriends", user_id="ann")`."""

    def __init__(self, address, key, app=None):
        package = importlib.import_module(NAME)
        self.models = importlib.import_module(f"{NAME}.models")
        self.client = package.AuthenticatedClient(
            base_url=f"http://{address}", token=key,
            httpx_args={"event_hooks": {"response": [self._check]}})  # fmt: skip
        self.app = app
        self.seen = []

    def _check(self, response):
        """Holds the answer, as it came, against the schema that the document has for it."""
        response.read()
        name = response.request.url.path.rpartition("/")[2]
        schema = f"{name}Response" if response.status_code == 200 else "ConnectError"
        self.seen.append(name)
        assert not (found := faults(schema, json.loads(response.content))), (name, found)

    def __call__(self, service, call, /, **fields):
        module = self._module(service, call)
        body = getattr(self.models, f"{call}Request")(**fields)
        options = {} if self.app is None else {"x_app_id": self.app}
        return module.sync_detailed(client=self.client, body=body, **options)

    def get(self, service, name, request):
        """The same call as a link."""
        module = self._module(service, f"{name}Get")
        encoding = getattr(self.models, f"{service}{name}GetEncoding")
        return module.sync_detailed(
            client=self.client, message=json.dumps(request), encoding=encoding.JSON,
            x_app_id=self.app)  # fmt: skip

    @staticmethod
    def _module(service, name):
        def snake(words):
            return "".join(f"_{c.lower()}" if c.isupper() else c for c in words).lstrip("_")

        return importlib.import_module(f"{NAME}.api.{snake(service)}.{snake(service + name)}")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for credentials, and its operator's key."""
    data = tmp_path_factory.mktemp("relationd") / "data"
    status, key, said = init(data)
    assert status == 0, said
    with Relationd(data, insecure=False) as running:
        yield running, key


def reasons(answer):
    """The reasons that an error has in its details."""
    found = [detail.debug for detail in answer.parsed.details]
    return [str(debug.reason) for debug in found if hasattr(debug, "reason")]


def test_a_generated_client_makes_calls_and_reads_errors_and_pages(made, guarded):
    running, key = guarded
    operator = Calls(running.address, key)
    app = int(operator("AppService", "CreateApp", name="chess").parsed.app.app_id)
    calls = Calls(running.address, key, app)
    models = calls.models
    ann, *others = USERS

    # A profile, and with it the account.
    for user in USERS:
        profile = models.Profile(nick=f"Nick of {user}")
        answer = calls("ProfileService", "UpdateProfile", user_id=user, profile=profile)
        assert answer.status_code == 200 and answer.parsed.sequence == "1"
        assert str(answer.parsed.code) == "PROFILE_STATUS_SUCC"

    # Items with outcomes of their own, one of them a refusal.
    items = [models.AddFriend(user_id=user) for user in [*others, "unknown"]]
    answer = calls(
        "FriendService", "AddFriends", user_id=ann, items=items,
        add_type=models.AddType.ADD_TYPE_BOTH)  # fmt: skip
    outcomes = [str(result.code) for result in answer.parsed.results]
    assert outcomes == ["FRIEND_STATUS_SUCC"] * 24 + ["FRIEND_STATUS_ACCOUNT_NOT_FOUND"]
    assert str(answer.parsed.results[-1].reason) == "REASON_SNS_FRIEND_ADD_ACCOUNT_NOT_EXIST"
    assert answer.parsed.applied is True and isinstance(answer.parsed.sequence, str)

    # A read at a sequence: a number of 64 bits as a text, and as a number.
    for sequence in (answer.parsed.sequence, int(answer.parsed.sequence)):
        options = models.ReadOptions(min_sequence=models.MinSequence(sequence=sequence))
        checked = calls(
            "FriendService", "CheckFriends", user_id=ann, user_ids=others[:2], options=options)
        relations = [str(result.relation) for result in checked.parsed.results]
        assert relations == ["FRIEND_RELATION_BOTH_WAY"] * 2

    # The same call as a link.
    linked = calls.get("FriendService", "CheckFriends", {"userId": ann, "userIds": others[:2]})
    assert linked.parsed.to_dict() == checked.parsed.to_dict()

    # A list by pages, with a mask.
    found, token = [], ""
    while True:
        page = calls(
            "FriendService", "ListFriends", user_id=ann, page_size=10, page_token=token,
            with_profiles=True, profile_mask="nick").parsed  # fmt: skip
        found += [(row.user_id, row.profile.nick) for row in page.friends]
        token = page.next_page_token
        if not token:
            break
    assert found == [(user, f"Nick of {user}") for user in others]

    # Errors: a field, an account, a scope, a credential.
    answer = calls("FriendService", "ListFriends", user_id=ann, page_size=-1)
    assert (answer.status_code, answer.parsed.code.value) == (400, "invalid_argument")
    assert reasons(answer) == ["INVALID_FIELD"]
    fields = [
        violation.field for detail in answer.parsed.details
        for violation in getattr(detail.debug, "field_violations", [])]
    assert fields == ["page_size"]
    answer = calls("FriendService", "ListFriends", user_id="unknown")
    assert (answer.status_code, reasons(answer)) == (404, ["USER_NOT_FOUND"])
    scopes = [models.Scope.SCOPE_READ]
    credential = calls("AppService", "CreateCredential", name="reader", scopes=scopes).parsed
    reader = Calls(running.address, credential.key)
    assert reader("FriendService", "ListFriends", user_id=ann).status_code == 200
    answer = reader("FriendService", "DeleteAllFriends", user_id=ann)
    assert (answer.status_code, reasons(answer)) == (403, ["SCOPE_MISSING"])
    answer = Calls(running.address, "no key")("FriendService", "ListFriends", user_id=ann)
    assert (answer.status_code, reasons(answer)) == (401, ["CREDENTIAL_INVALID"])

    kinds = {*operator.seen, *calls.seen, *reader.seen}
    assert len(operator.seen) + len(calls.seen) + len(reader.seen) > 10 and len(kinds) > 6


def test_a_caller_without_a_credential_is_told_so_in_the_same_form(made, guarded):
    running, _ = guarded
    answer = httpx.post(
        f"http://{running.address}/relation.v1.FriendService/ListFriends",
        json={"userId": "ann"}, timeout=20)  # fmt: skip
    assert answer.status_code == 401 and not faults("ConnectError", answer.json())
    assert answer.json()["details"][0]["debug"]["reason"] == "CREDENTIAL_MISSING"
