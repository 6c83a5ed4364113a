"""The parts of the page Apps for moderators: reports, suspensions, and marks of risks."""

import pytest
from console import call, console, console_address, needs_browser  # noqa: F401
from hands import Hands

pytestmark = needs_browser
PAGE = "document.querySelector('.page').textContent"
DIALOG = "document.querySelector('dialog.operation')"
ROWS = "[...document.querySelectorAll('.page tbody tr')].map(row => row.textContent)"
WORDS = "<b class=planted>advertises</b>"


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def moderate(console, **parameters):  # noqa: F811
    console.show("apps", app=1, part="moderation", **parameters)
    console.until(f"{PAGE}.includes('Suspended users')")


def do(hands):
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")


def report(address, reporter, user):
    made = call(address, "ModerationService/ReportUser", userId=reporter, reportedUserId=user,
                category="REPORT_CATEGORY_SPAM", text=WORDS, reference="message 17")
    assert made["applied"]
    [found] = call(address, "ModerationService/ListReports", reportedUserId=user)["reports"]
    return found["reportId"]


def test_a_report_is_read_closed_and_found_again(console, hands):  # noqa: F811
    number = report(console.address, "51", "52")
    moderate(console)
    row = console.until(f"{ROWS}.find(row => row.startsWith('5251spam'))")
    assert WORDS in row and "message 17" in row and "open" in row
    assert console.ask("return document.querySelectorAll('.planted').length") == 0
    hands.click(f"close report {number}")
    hands.choose("outcome", "WARNED")
    hands.type("note", "first time", within="dialog")
    do(hands)
    console.until(f"!{ROWS}.some(row => row.startsWith('5251spam'))")
    hands.type("Reports about", "52")
    hands.click("Closed ones too", "input")
    hands.click("Show")
    console.until("location.hash.includes('of=52&closed=1')")
    console.until(f"{ROWS}.some(row => row.includes('warned: first time'))")
    hands.type("Reports about", "50")
    hands.click("Show")
    console.until(f"{PAGE}.includes('There is no report.')")


def test_a_reported_user_is_suspended_and_may_act_again(console, hands):  # noqa: F811
    address = console.address
    report(address, "51", "53")
    moderate(console)
    hands.click("suspend 53")
    hands.choose("level", "SUSPENDED")
    hands.type("reason_text", "advertising", within="dialog")
    hands.click("Dry run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('nothing was changed')")
    assert "suspensions" not in call(address, "ModerationService/ListSuspensions")
    do(hands)
    console.until(f"{ROWS}.some(row => row.startsWith('53suspendedadvertising'))")
    hands.click("change 53")
    hands.choose("level", "BANNED")
    do(hands)
    console.until(f"{ROWS}.some(row => row.startsWith('53bannedadvertising'))")
    hands.click("take back 53")
    assert "may act again" in console.until(f"{DIALOG}.textContent")
    do(hands)
    console.until(f"{PAGE}.includes('No user is suspended.')")
    hands.click("Suspend a user")
    hands.type("user_id", "54", within="dialog")
    do(hands)
    console.until(f"{ROWS}.some(row => row.startsWith('54limited'))")
    call(address, "ModerationService/ReinstateAccounts", userIds=["54"])


def test_the_sessions_of_a_user_are_ended(console, hands):  # noqa: F811
    moderate(console)
    hands.click("End the sessions of users")
    assert "will be refused" in console.until(f"{DIALOG}?.textContent")
    hands.type("user_ids", "56", within="dialog")
    hands.click("Run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('firstGoodTimeMs')")
    hands.click("Close", within="dialog")
    again = call(console.address, "AccountService/RevokeUserSessions", userIds=["56"],
                 beforeTimeMs="1")
    assert not again.get("applied", False)


def test_risks_are_marked_and_seen_as_they_come(console, hands):  # noqa: F811
    address = console.address
    moderate(console)
    hands.click("Mark risks")
    do(hands)
    hands.click("see them as they come")
    console.until("document.querySelector('.state')?.textContent.includes('live')")
    call(address, "ProfileService/UpdateProfile", userId="4020",
         profile={"allowType": "ALLOW_TYPE_NEED_CONFIRM"})
    call(address, "FriendService/AddFriends", userId="57", items=[{"userId": "4020"}])
    line = console.until("[...document.querySelectorAll('.events li:not([hidden]) .line')]"
                         ".find(line => line.textContent.includes('new account'))?.textContent")
    assert "4020" in line and "new account" in line
    assert console.ask("return [...document.querySelectorAll('.events li:not([hidden]) .kind')]"
                       ".every(kind => kind.title === 'RISK_MARKED')")
    moderate(console)
    hands.click("Mark no risks")
    do(hands)
    console.until(f"{PAGE}.includes('are not marked')")
