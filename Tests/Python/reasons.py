"""The table of reasons, as the comments of reason.proto write it.

The comment of a value begins with its `info`, the calls that send it, and the codes that it comes
with: `Err_SNS_FriendAdd_Self`, AddFriends, 30001: the meaning, and what a caller does about it.
"""

import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parents[2] / "proto/relation/v1/reason.proto"
# Reasons that are not a refusal: the item was done, or waits as it was meant to.
DONE = {
    "REASON_EXISTED", "REASON_RUNNING", "REASON_SNS_FRIEND_ADD_FRIEND_ALLOW_TYPE_NEED_CONFIRM",
    "REASON_APP_IMPORT_CREDENTIAL_MISSING", "REASON_PRESENCE_REPORT_OUTDATED",
    "REASON_INVITATION_ACCEPT_NEED_CONFIRM",
}


class Row:
    """One value of the enum: its `info`, the calls that send it, and the codes that it explains."""

    def __init__(self, name, number, comment):
        self.name, self.number = name, int(number)
        head, _, self.advice = comment.partition(": ")
        self.info = re.match(r"`(\w+)`, ", head).group(1)
        # The word in code style that may follow is the preset of an app.
        rest = head.replace(f"`{self.info}`", "")
        self.calls = set(re.findall(r"\b[A-Z][A-Za-z]+\b", rest))
        self.codes = {int(code) for code in re.findall(r"\b\d+\b", rest)}

    @property
    def sent(self):
        """Each call with each code with which it sends the reason."""
        return {(self.name, call, code) for call in self.calls for code in self.codes}


def table():
    """Every value of `Reason` but UNSPECIFIED, by its number."""
    enum = re.search(r"^enum Reason \{\n(.*?)^\}", FILE.read_text(), re.S | re.M).group(1)
    rows, comment = {}, []
    for line in enum.splitlines():
        line = line.strip()
        if line.startswith("//"):
            comment.append(line.removeprefix("//").strip())
            continue
        if found := re.match(r"(REASON_\w+) = (\d+);", line):
            if found.group(2) != "0":
                rows[int(found.group(2))] = Row(*found.groups(), " ".join(comment))
        comment = []
    return rows


def name_of(info):
    """The name of the value whose `info` this is: its words in capitals."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", info.removeprefix("Err_"))
    return f"REASON_{words.upper()}"
