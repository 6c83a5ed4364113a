"""The pages for those who come over from another system are typed, command by command, on a server
with credentials: stand-ins and dumps are the other systems."""

import json
import os
import re
import subprocess

import pytest
import test_migrate_nakama as nakama
import test_migrate_openim as openim
import test_migrate_rongcloud as rongcloud
import test_migrate_tim as tim
from credentials import init, sign
from fake_tim import APP
from relationd import ROOT, executable
from test_proxy_tim import TIM, Proxy

SECRET = "k" * 64


def commands(page):
    """The commands of the blocks of a page, in their order."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    found = []
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        # A line that is indented goes on with the one before it.
        found += re.split(r"\n(?! )", block.strip())
    return found


class Desk:
    """The folder of an operator, who types what a page says."""

    def __init__(self, folder, server, key):
        self.folder, self.server = folder, server
        names = [name for name in os.environ if not name.startswith("RELATION")]
        programs = folder / "bin"
        programs.mkdir()
        (programs / "relationctl").symlink_to(executable("relationctl"))
        self.environment = {name: os.environ[name] for name in names} | {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder),
            "RELATION_SERVER": server, "RELATION_API_KEY": key}
        # What the page has in the place of the stand-ins.
        self.places = {"https://relation.example:7450": f"http://{server}"}

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def placed(self, command):
        for shown, real in self.places.items():
            command = command.replace(shown, real)
        return command

    def type(self, command):
        done = subprocess.run(
            ["bash", "-c", self.placed(command)], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


@pytest.fixture
def desk(start, tmp_path):
    folder = tmp_path / "desk"
    folder.mkdir()
    status, key, words = init(tmp_path / "guarded")
    assert status == 0, words
    return Desk(folder, start("guarded", insecure=False).address, key)


def fields(names, where):
    return "".join(json.dumps(field) + "\n" for field in where if field["key"] in names)


def test_the_walk_over_from_tim_is_as_its_page_says(desk):
    desk.write("key.txt", SECRET + "\n")
    desk.write("users.csv", "Nick,UserID\nAnn,ann\nBob,bob\nZoe,Zoe\nEve,eve\n")
    desk.write("fields.jsonl", fields(["Mood", "Rank"], tim.FIELDS))
    secret = {"app_id": APP, "secret": SECRET, "old_expire_time_ms": 0}
    desk.write("secret.json", json.dumps(secret))
    walk = commands("migrate-tim")
    with TIM(tim.full(), page=9) as fake:
        desk.places |= {
            "1400000000": str(APP), "127.0.0.1:7460": "127.0.0.1:0",
            "migrate tim": f"migrate tim --host {fake.address}",
            "compare tim": f"compare tim --host {fake.address}",
            "proxy tim": f"proxy tim --every 1 --host {fake.address}"}
        # TIM has changed when it is read again: its second answer is another one.
        for command in walk[:4]:
            desk.type(command)
        fake.users["bob"]["profile"]["Tag_Profile_IM_Nick"] = "Bobby"
        for command in walk[4:7]:
            said = desk.type(command)
        assert ", 0 refused" in said
        switch, compare, proxied = walk[7:]
        desk.type(switch)
        assert desk.type(compare).endswith("4 users, 0 differences\n")
        behind_the_proxy(desk, fake, proxied)


def behind_the_proxy(desk, fake, command):
    """Reads and writes go to TIM and are the same here, at which the back end is then pointed."""
    with subprocess.Popen(
        ["bash", "-c", "exec " + desk.placed(command)], cwd=desk.folder, env=desk.environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            port = int(process.stdout.readline().rpartition(":")[2])
            proxy = Back(process, port, sign(APP, SECRET, "administrator"))
            friends = {"From_Account": "bob", "StartIndex": 0}
            assert rows(proxy.ask("sns/friend_get", friends)) == ["ann"]
            gone = {"From_Account": "bob", "DeleteType": "Delete_Type_Single"}
            assert proxy.ask("sns/friend_delete_all", gone)[0] == 200
            assert rows(proxy.ask("sns/friend_get", friends)) == []
            found, lines = proxy.counts(requests=3, compared=3)
            assert found["different"] == 0, lines
        finally:
            process.kill()
    asked = sum(fake.calls.values())
    here = Back(None, int(desk.server.rpartition(":")[2]), proxy.signature)
    assert rows(here.ask("sns/friend_get", friends)) == []
    assert sum(fake.calls.values()) == asked


class Back(Proxy):
    """A back end with a signature of the administrator."""

    def __init__(self, process, port, signature):
        super().__init__(process, port)
        self.signature = signature

    def ask(self, command, body):
        target = (f"/v4/{command}?sdkappid={APP}&identifier=administrator"
                  f"&usersig={self.signature}&random=1&contenttype=json")
        self.connection.request("POST", target, json.dumps(body).encode())
        reply = self.connection.getresponse()
        return reply.status, reply.read()


def rows(reply):
    status, text = reply
    answer = json.loads(text)
    assert status == 200 and answer["ErrorCode"] == 0, answer
    return [row["To_Account"] for row in answer["UserDataItem"]]


def test_the_walk_over_from_rongcloud_is_as_its_page_says(desk):
    desk.write("secret.txt", rongcloud.SECRET + "\n")
    desk.write("fields.jsonl", fields(["ext_city", "ext_rank"], rongcloud.FIELDS))
    users = {"ann": rongcloud.user(name="Ann", friends={"bob": {}}), "bob": rongcloud.user()}
    with rongcloud.FakeRongCloud(users) as fake:
        desk.places |= {
            "p5tvi9dspqek4": rongcloud.APP,
            "migrate rongcloud": f"migrate rongcloud --host {fake.address}"}
        walk = commands("migrate-rongcloud")
        for command in walk[:3]:
            desk.type(command)
        users["ann"]["friends"].clear()
        for command in walk[3:]:
            said = desk.type(command)
    assert ", 0 refused" in said
    listed = desk.type("""relationctl --app 2 call ListFriends '{"user_id": "ann"}'""")
    assert "bob" not in listed


def test_the_walk_over_from_openim_is_as_its_page_says(desk):
    dump = openim.collections()
    dump["user"][1]["ex"] = dump["friend"][0]["ex"] = ""
    for name in ("dump", "second-dump"):
        (desk.folder / name).mkdir()
        openim.written(desk.folder / name / "openim_v3", dump, "bson")
        dump["friend"].pop()
    dumped, *walk = commands("migrate-openim")
    assert dumped.startswith("mongodump ")
    for command in walk:
        said = desk.type(command)
    assert ", 0 refused" in said
    listed = desk.type("""relationctl --app 2 call ListFriends '{"user_id": "ann"}'""")
    assert "bob" in listed and "eve" not in listed


def test_the_walk_over_from_nakama_is_as_its_page_says(desk):
    walk = [command for command in commands("migrate-nakama")
            if not command.startswith(("psql ", "mkdir "))]  # fmt: skip
    dump = nakama.tables()
    # A table without what needs custom fields.
    for row in dump["users"] + dump["user_edge"]:
        row["metadata"] = "{}"
    for row in dump["users"]:
        row["timezone"] = ""
    for number, command in enumerate(walk):
        if command.startswith("relationctl migrate"):
            if number:
                dump["users"][0]["username"] = "other"
            nakama.written(desk.folder / "tables", dump)
        said = desk.type(command)
    assert ", 0 refused" in said
