"""A stand-in for TIM with any number of users, and the traffic of an app that is in use.

The users are computed, so a hundred thousand of them with three million friend rows need no memory.
What the traffic changes is kept beside them.
"""

import copy
import http.client
import json
import random
import threading
import time

from fake_tim import APP, FakeTIM, user

FRIEND, NICK = "Tag_SNS_IM_", "Tag_Profile_IM_Nick"
SIGNATURE = "eJwsSECRET"


def name(number):
    return f"u{number:07}"


class Users:
    """The users by their ids, as a dictionary has them."""

    def __init__(self, count, friends):
        assert friends % 2 == 0 and 4 * friends < count
        self.count = count
        self.friends = friends
        self.changed = {}
        self.lock = threading.Lock()

    def __contains__(self, each):
        return each[:1] == "u" and each[1:].isdigit() and int(each[1:]) < self.count

    def __getitem__(self, each):
        return self.changed.get(each) or self._made(int(each[1:]))

    def _made(self, number):
        """A user whose friends stand around it in a circle, so each has it as a friend too."""
        friends = {}
        for step in range(1, self.friends // 2 + 1):
            for other in ((number + step) % self.count, (number - step) % self.count):
                tags = {f"{FRIEND}AddTime": 1_500_000_000 + (number + other) % 100_000_000}
                mark = number * 31 + other * 17
                if mark % 5 == 0:
                    tags[f"{FRIEND}Remark"] = f"friend {other}"
                if mark % 7 == 0:
                    tags[f"{FRIEND}Group"] = ["family", "work"][: 1 + mark % 2]
                tags[f"{FRIEND}AddSource"] = "AddSource_Type_Web"
                friends[name(other)] = tags
        blacklist = {}
        if number % 10 == 0:
            blacklist[name((number + self.count // 2) % self.count)] = 1_600_000_000 + number
        return user(
            profile={NICK: f"User {number}", "Tag_Profile_IM_Level": number % 100},
            friends=friends, groups=["family", "work", "empty"], blacklist=blacklist)

    def change(self, each):
        """A new copy of the user, in the place of the one that others may read meanwhile.

        The caller has the lock.
        """
        self.changed[each] = copy.deepcopy(self[each])
        return self.changed[each]


class CrowdTIM(FakeTIM):
    """The stand-in: it tells the tags that are asked for, and takes the writes of the traffic."""

    def portrait_get(self, request):
        answer = super().portrait_get(request)
        for row in answer["UserProfileItem"]:
            row["ProfileItem"] = [
                item for item in row["ProfileItem"] if item["Tag"] in request["TagList"]]
        return answer

    def portrait_set(self, request):
        with self.users.lock:
            profile = self.users.change(request["From_Account"])["profile"]
            for item in request["ProfileItem"]:
                profile[item["Tag"]] = item["Value"]
        return {}

    def friend_delete(self, request):
        owner, (other,) = request["From_Account"], request["To_Account"]
        with self.users.lock:
            mine, theirs = (self.users.change(each)["friends"] for each in (owner, other))
            was = mine.pop(other, None) is not None
            theirs.pop(owner, None)
        code = 0 if was else 31704
        failed = {} if was else {"Fail_Account": [other]}
        return failed | {
            "ResultItem": [{"To_Account": other, "ResultCode": code, "ResultInfo": ""}]}


class Traffic(threading.Thread):
    """A back end in use: reads, and now and then a write, until it is stopped."""

    def __init__(self, address, users, seed, rate=50, writes=0.2):
        super().__init__(daemon=True)
        self.host, _, port = address.removeprefix("http://").rpartition(":")
        self.port = int(port)
        self.users = users
        self.random = random.Random(seed)
        self.rate = rate
        self.writes = writes
        self.ends = threading.Event()
        # The users that a write was about, the requests, and those without an answer.
        self.touched, self.requests, self.failed = set(), 0, 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join(60)

    def run(self):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        while not self.ends.wait(1 / self.rate):
            command, body = self.request()
            target = f"/v4/{command}?sdkappid={APP}&usersig={SIGNATURE}&identifier=administrator"
            try:
                connection.request(
                    "POST", f"{target}&random=1&contenttype=json", json.dumps(body).encode())
                reply = connection.getresponse()
                reply.read()
                failed = reply.status != 200
            except (OSError, http.client.HTTPException):
                failed = True
                connection.close()
            self.failed += failed
            self.requests += 1

    def request(self):
        number = self.random.randrange(self.users.count)
        each = name(number)
        if self.random.random() < self.writes:
            if self.random.random() < 0.5:
                self.touched.add(each)
                value = f"New {self.random.randrange(10**6)}"
                return "profile/portrait_set", {
                    "From_Account": each, "ProfileItem": [{"Tag": NICK, "Value": value}]}
            other = name((number + 1) % self.users.count)
            self.touched |= {each, other}
            return "sns/friend_delete", {
                "From_Account": each, "To_Account": [other], "DeleteType": "Delete_Type_Both"}
        return self.random.choice([
            ("sns/friend_get", {"From_Account": each, "StartIndex": 0, "StandardSequence": 0,
                                "CustomSequence": 0}),
            ("profile/portrait_get", {"To_Account": [each], "TagList": [NICK]}),
            ("sns/black_list_get", {"From_Account": each, "StartIndex": 0, "MaxLimited": 100,
                                    "LastSequence": 0}),
        ])  # fmt: skip


class Stages:
    """Tells how long each stage took."""

    def __init__(self):
        self.begin = time.monotonic()

    def end(self, words):
        now = time.monotonic()
        print(f"{now - self.begin:8.1f} s  {words}", flush=True)
        self.begin = now
