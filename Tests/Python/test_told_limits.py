"""A number in a comment of the contract that an app may change is told as a default, with the path of
its setting; and the defaults that the comments of AppLimits tell are those of a new app."""

import functools
import re

import described
import pytest
from people import People

#: Texts whose number of characters is the same in every app, although a setting has the same one.
FIXED = {
    "SearchFriendsRequest.keyword", "FindUsersRequest.keyword", "SuspensionItem.reason_text",
    "ReportResolution.note", "ReviewVerdict.reason_text"}
NUMBER = r"(\d[\d,]*)"
DEFAULT = re.compile(rf"Default {NUMBER}(?: (bytes|characters))?(?:; RongCloud: {NUMBER}"
                     r"(?: (bytes|characters))?)?\.")  # fmt: skip
LENGTH = re.compile(rf"{NUMBER} (bytes|characters)\b")


def number(text):
    return int(text.replace(",", ""))


@functools.cache
def comments():
    """The comment of each thing of the contract by its name, with its lines joined."""
    parent, found, name = "", {}, ""
    for line in described.description().decode().splitlines():
        if line.startswith("|"):
            found[name] += line[1:] + " "
        elif not line.startswith("="):
            kind, short, *_ = line.split("\t")
            parent = short if kind in "SME" else parent
            name = short if kind in "SME" else f"{parent}.{short}"
            found[name] = ""
    return found


@functools.cache
def defaults():
    """The settings of AppLimits with the numbers that their comments tell: for TIM and RongCloud."""
    found = []
    for name, comment in comments().items():
        if name.startswith("AppLimits."):
            told = DEFAULT.search(comment)
            assert told, f"{name} tells no default: {comment}"
            unit = "bytes" if name.endswith("_bytes") else told[2]
            tim = (number(told[1]), unit)
            rong = (number(told[3]), told[4]) if told[3] else tim
            found.append((name.split(".")[1], tim, rong))
    return found


def test_a_length_that_is_a_setting_is_told_as_a_default():
    faults = []
    for name, comment in comments().items():
        if name.startswith("AppLimits") or name in FIXED:
            continue
        for length in LENGTH.finditer(comment):
            same = [
                setting for setting, *presets in defaults()
                if (number(length[1]), length[2]) in presets]
            bounds = re.search(r"(at most|1 to|or) $", comment[:length.start()], re.IGNORECASE)
            told = re.search("by default", comment, re.IGNORECASE) and any(
                f"`limits.{setting}`" in comment for setting in same)
            if same and bounds and not told:
                faults.append(f"{name}: {length[0]} may be the default of {same}")
    assert faults == []


def test_a_setting_in_a_comment_exists():
    settings = {f"limits.{setting}" for setting, *_ in defaults()} | {
        "limits.pendencies.come_in", "limits.pendencies.send_out"}
    for name, comment in comments().items():
        for path in re.findall(r"`(limits\.[\w.]+)`", comment):
            assert path in settings, f"{name} names {path}"


@pytest.mark.parametrize("preset, column", [("APP_PRESET_TIM", 1), ("APP_PRESET_RONGCLOUD", 2)])
def test_the_defaults_of_the_comments_are_those_of_a_new_app(relation, preset, column):
    app = relation("CreateApp", preset=preset).app.app_id
    relation = relation.in_app(app)
    (ann,) = People(relation)(1)
    units = relation.stubs.LimitUnit
    found = {limit.name: limit for limit in relation("GetLimits", user_id=ann).limits}
    for setting, *presets in defaults():
        value, unit = presets[column - 1]
        limits = [
            limit for name, limit in found.items()
            if name.removesuffix(".come_in").removesuffix(".send_out")
            .removesuffix(".online_status").removesuffix(".user_profile") == f"limits.{setting}"]
        assert limits, setting
        for limit in limits:
            assert limit.value == value, setting
            if unit:
                assert units.Name(limit.unit) == f"LIMIT_UNIT_{unit.upper()}", setting
