"""The page Users: a user's lists and log, its profile as others see it, and its acts."""

import base64
import json

import pytest
from console import call, call_until, console, console_address, needs_browser  # noqa: F401
from hands import ENTER, TAB, Hands

pytestmark = needs_browser
TEXT = "document.querySelector('.content').textContent"
ROWS = "[...document.querySelectorAll('.content tbody tr')].map(row => row.textContent)"
DIALOG = "document.querySelector('dialog[open]')"
NICK = "<img src=x onerror=alert(1)>"
GROUP = "</script><script>alert(1)//"


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def act(hands, other, name):
    """Opens the actions of a row, and begins one of them."""
    hands.click(f"Actions for {other}", "button")
    hands.click(name, within=".menu")


def test_a_newcomer_finds_a_user_by_name_in_a_table_with_counts(console, hands):  # noqa: F811
    address = console.address
    portrait = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
    for user, nick in (("70", "李四光"), ("71", "李四")):
        call(address, "ProfileService/UpdateProfile", userId=user,
             profile={"nick": nick, "faceUrl": portrait})
    console.show("user")
    rows = "[...document.querySelectorAll('tbody tr')].map(row => row.textContent)"
    console.until(f"{rows}.length === 25 && {rows}[0].startsWith('00offline347')")
    assert "25 of 4,0" in console.ask("return document.querySelector('.page').textContent")
    hands.click("Show more")
    console.until(f"{rows}.length === 50")
    hands.type("Find a user", "lisi")
    hands.click("Find")
    told = console.until("document.querySelector('.page').textContent.includes('No user is found')"
                         " && document.querySelector('.page').textContent")
    assert "the app does not let its users be found by name" in told
    call(address, "AppService/UpdateApp", settings={"findsUsers": True}, updateMask="findsUsers")
    call_until(lambda answer: not answer.get("indexIncomplete"), address,
               "ProfileService/FindUsers", userId="0", keyword="lisi")
    console.show("user", find="lisi")
    console.until(f"{rows}.length === 2 && {rows}[0].startsWith('李四 71offline') &&"
                  f" {rows}[1].includes('by pinyin')")
    assert console.ask("return [...document.querySelectorAll('tbody img')].map(each => each.src)"
                       ) == [portrait] * 2
    hands.click("李四光")
    console.until("document.querySelector('.head h2').textContent === '李四光 70'")
    # A text that finds one user opens it.
    hands.type("Find a user", "71" + ENTER)
    console.until("location.hash === '#user?id=71'")
    # No user finds itself: so another one looks for the first of the app.
    call(address, "ProfileService/UpdateProfile", userId="0", profile={"nick": "李四海"})
    call_until(lambda answer: "users" in answer, address, "ProfileService/FindUsers", userId="1",
               keyword="lisihai")
    console.show("user", find="lisihai")
    console.until("location.hash === '#user?id=0'")
    call(address, "ProfileService/UpdateProfile", userId="0", profile={}, updateMask="nick")
    call(address, "AppService/UpdateApp", updateMask="findsUsers")


def test_a_profile_is_changed_by_its_form_and_changed_back(console, hands):  # noqa: F811
    address = console.address
    console.show("user", id=72)

    def profile():
        return call(address, "ProfileService/GetSelfProfile", userId="72").get("profile", {})

    hands.click("Edit the profile")
    hands.type("Nickname", "Ann", within="dialog")
    hands.type("Words about itself", "at sea", within="dialog")
    hands.choose("Gender", "female")
    console.ask(f"{DIALOG}.querySelector('[type=date]').value = '1999-12-31'")
    hands.type("Mail address", "ann@" + "x" * 2000, within="dialog")
    hands.click("Save", within="dialog")
    assert "too long" in console.until(
        f"{DIALOG}.querySelector('#edit-email:not(:empty)')?.textContent")
    hands.type("Mail address", "ann@example.org", within="dialog")
    hands.click("Save", within="dialog")
    console.until("document.querySelector('.head').textContent.includes('“at sea”')")
    made = profile()
    assert (made["nick"], made["gender"], made["birthday"], made["email"]) == (
        "Ann", "GENDER_FEMALE", 19991231, "ann@example.org")
    hands.click("Undo")
    console.until("document.querySelector('.head h2').textContent === 'User 72'")
    assert not {"nick", "birthday", "email"} & profile().keys()


def test_a_deleted_friend_comes_back_with_all_it_had(console, hands):  # noqa: F811
    address = console.address
    [friend] = call(address, "FriendService/ListFriends", userId="73", pageSize=1)["friends"]
    other = friend["userId"]
    call(address, "FriendService/UpdateFriends", userId="73", items=[
        {"userId": other, "remark": "an old friend", "groups": [], "starred": True}])

    def both():
        pairs = ("73", other), (other, "73")
        rows = [call(address, "FriendService/GetFriends", userId=one, userIds=[two])["results"][0]
                .get("friendEntry") for one, two in pairs]
        return [row and {key: row[key] for key in row if key != "sequence"} for row in rows]

    before = both()
    console.show("user", id=73, part="friends")
    act(hands, other, "Delete a friend")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("[...document.querySelectorAll('.content tbody tr')].every(row =>"
                  " row.querySelector('a').textContent !== arguments[0])", other)
    assert both()[0] is None
    hands.click("Undo")
    console.until(f"{ROWS}.some(row => row.includes('an old friend'))")
    assert both() == before
    # A block ends the friendship, and its end brings it back.
    hands.click(f"Actions for {other}", "button")
    hands.click("Block", within=".menu")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("document.querySelector('.acts').textContent.includes('Undo')")
    hands.click("Undo")
    console.until("document.querySelector('.undo').textContent === 'Taken back.'")
    assert both() == before
    assert "entries" not in call(address, "BlacklistService/ListBlacklist", userId="73")


def test_the_lists_of_a_user_are_read_by_pages_and_searched(console, hands):  # noqa: F811
    console.show("user")
    hands.type("Find a user", "0")
    hands.click("Find")
    hands.click("Friends 347", "nav a")
    assert "circle15" in console.until(f"{ROWS}[0]")
    hands.click("Show more")
    console.until(f"{ROWS}.length === 50 && {TEXT}.includes('50 of 347 shown')")
    hands.type("Name", "34")
    hands.click("Filter")
    console.until(f"{ROWS}.length < 25 && {ROWS}.some(row => row.includes('342'))")
    # Each letter that is typed may choose another group, whose page then takes the list's place.
    console.ask("const choice = document.querySelector('.content select');"
                "choice.value = [...choice.options].find(one => one.text === 'circle15').value;"
                "choice.dispatchEvent(new Event('change'));")
    console.until(f"{TEXT}.includes('of 133 shown') &&"
                  f" {ROWS}.every(row => row.includes('circle15'))")
    console.ask("const choice = document.querySelector('.content select');"
                "choice.value = 'mark FRIEND_MARK_MUTED';"
                "choice.dispatchEvent(new Event('change'));")
    console.until(f"{TEXT}.includes('There is no such friend.')")
    hands.click("Groups 24", "nav a")
    console.until(f"{ROWS}.find(row => row.startsWith('circle15133'))")
    hands.click("Blacklist 0", "nav a")
    console.until(f"{TEXT}.includes('blocks no other')")
    links = console.ask("return [...document.querySelectorAll('.who a')].map(link => link.hash)")
    assert links == ["#graph?id=0", "#events?user=0"]


def test_a_friend_is_shown_with_its_marks(console, hands):  # noqa: F811
    address = console.address
    [friend] = call(address, "FriendService/ListFriends", userId="31", pageSize=1)["friends"]
    call(address, "FriendService/UpdateFriends", userId="31", items=[
        {"userId": friend["userId"], "starred": True, "pinOrder": 2, "ignored": True,
         "muteUntilMs": str(2**63 - 1)}])
    console.show("user", id=31, part="friends")
    console.until(f"{ROWS}.some(row => row.includes('starred, pinned 2, muted, ignored'))")


def test_a_friend_is_marked_and_an_invitation_made_and_revoked(console, hands):  # noqa: F811
    address = console.address
    [friend] = call(address, "FriendService/ListFriends", userId="32", pageSize=1)["friends"]
    console.show("user", id=32, part="friends")
    act(hands, friend["userId"], "Remark and marks")
    hands.type("remark", "the third", within="dialog")
    hands.type("pin_order", "3", within="dialog")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row.includes('the third') && row.includes('pinned 3'))")
    hands.click("Invitations 0", "nav a")
    hands.click("Make an invitation")
    hands.type("max_uses", "5", within="dialog")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row.includes('Active0 of 5'))")
    hands.click("Revoke ", "button")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row.includes('Revoked0 of 5')) &&"
                  f" !document.querySelector('.content tbody button')")
    hands.click("Profile", "nav a")
    hands.click("Set the custom status")
    hands.type("text", "at lunch", within="dialog")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("document.querySelector('.line').textContent === 'offline · at lunch'")


def test_an_invitation_of_another_is_looked_at_and_used(console, hands):  # noqa: F811
    address = console.address
    call(address, "FriendService/DeleteFriends", userId="73", userIds=["74"],
         deleteType="DELETE_TYPE_BOTH")
    made = call(address, "InvitationService/CreateInvitation", userId="73", maxUses=1,
                expirySeconds="3600", preApproved=True)
    console.show("user", id=74, part="invitations")
    for name in ("Look at an invitation", "Use an invitation"):
        hands.click(name)
        hands.type("invitation_code", made["invitationCode"], within="dialog")
        hands.click("Run", within="dialog")
        hands.click("Close", within="dialog")
    [found] = call(address, "FriendService/GetFriends", userId="74", userIds=["73"])["results"]
    assert found["friendEntry"]["userId"] == "73"
    hands.type("Other user", "73" + TAB)
    console.until("document.querySelector('#acts-relation').textContent.includes("
                  "'each has the other as a friend; common friends: ')")


def test_the_digests_of_a_user_are_shown_and_all_its_data_is_a_file(console, hands):  # noqa: F811
    address = console.address
    console.show("user", id=75, part="contacts")
    console.until(f"{TEXT}.includes('has set no digest')")
    digest = base64.b64encode(b"7" * 32).decode()
    call(address, "ProfileService/SetContactDigests", userId="75", kind="CONTACT_KIND_EMAIL",
         digests=[digest])
    console.show("user", id=75)
    hands.click("Contact digests", "nav a")
    console.until(f"{ROWS}.includes('mail{digest}')")
    hands.click("Find by mail digests")
    hands.click("Cancel", within="dialog")
    console.ask("""
        HTMLAnchorElement.prototype.click = () => {};
        window.usual = URL.createObjectURL;
        URL.createObjectURL = blob => {
          blob.text().then(text => { window.kept = text; });
          return '#';
        };""")
    hands.click("Save all data")
    parts = [json.loads(line) for line in console.until("window.kept").splitlines()]
    console.ask("delete HTMLAnchorElement.prototype.click; URL.createObjectURL = window.usual;")
    assert {part["row"]["account"]["userId"] for part in parts
            if "account" in part.get("row", {})} == {"75"}
    assert parts[-1]["point"]["complete"]


def test_a_user_is_shown_with_its_status_and_who_is_not_suggested(console, hands):  # noqa: F811
    address = console.address
    call(address, "PresenceService/SetStatus", userId="41", text="at sea")
    call(address, "FriendService/DismissSuggestions", userId="41", userIds=["1234"])
    call(address, "PresenceService/ReportPresence", items=[
        {"userId": "41", "deviceId": "desk", "platform": "pc", "online": False}])
    console.show("user", id=41)
    console.until("document.querySelector('.line')?.textContent.includes('at sea')")
    hands.click("Profile", "nav a")
    console.until(f"{ROWS}.some(row => row.startsWith('deskpcoffline'))")
    hands.click("Not suggested 1", "nav a")
    console.until(f"{ROWS}.some(row => row.startsWith('11234'))")


def test_a_suggestion_is_dismissed_and_taken_back(console, hands):  # noqa: F811
    address = console.address
    console.show("user", id=60, part="suggestions")
    row = console.until(f"{ROWS}[0]")
    first = console.ask("return document.querySelector('.content tbody a').textContent")
    assert row.endswith("Actions")
    act(hands, first, "Dismiss a suggestion")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("[...document.querySelectorAll('.content tbody tr')].every(row =>"
                  " row.querySelector('a').textContent !== arguments[0])", first)
    hands.click("Not suggested 1", "nav a")
    act(hands, first, "Suggest again")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{TEXT}.includes('dismissed no suggestion')")
    assert "users" not in call(address, "FriendService/ListDismissedSuggestions", userId="60")


def test_a_user_sees_who_has_it_as_a_friend_and_follows(console, hands):  # noqa: F811
    address = console.address
    call(address, "FriendService/DeleteFriends", userId="61", userIds=["0"],
         deleteType="DELETE_TYPE_SINGLE")
    console.show("user", id=61)
    hands.click("Friend of 1", "nav a")
    console.until(f"{ROWS}.some(row => row.startsWith('00'))")
    hands.type("Other user", "4019")
    hands.click("Follow …")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    call(address, "FollowService/Follow", userId="4019", userIds=["61"])
    call(address, "ProfileService/UpdateProfile", userId="4019", profile={"nick": "Rae"})
    hands.click("Mutual follows", "nav a")
    console.until(f"{ROWS}.some(row => row.includes('Rae 4019'))")
    hands.click("Following 1", "nav a")
    act(hands, "4019", "Unfollow")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{TEXT}.includes('follows no other')")
    hands.type("Other user", "4019")
    hands.click("Report …")
    hands.type("text", "rude", within="dialog")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    [report] = call(
        address, "ModerationService/ListReports", reportedUserId="4019")["reports"]
    assert (report["reporterUserId"], report["text"]) == ("61", "rude")


def test_a_user_chooses_who_reads_and_who_finds_it(console, hands):  # noqa: F811
    address = console.address
    console.show("user", id=62)
    console.until(f"{ROWS}.some(row => row.startsWith('By phonenot set'))")
    hands.click("Change who may find it")
    hands.choose("by_phone", "NO_USER")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row === 'By phoneno userno user')")
    call(address, "ProfileService/SetVisibility", userId="62",
         fields=[{"field": "email", "visibility": "VISIBILITY_FRIENDS"}])
    console.show("user", id=62)
    console.until(f"{ROWS}.some(row => row.startsWith('Mail addressfriends'))")
    hands.click("Change who may read it")
    hands.choose("visibility", "FOLLOWERS")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row.startsWith('followers'))")
    hands.click("Reports about the user")
    console.until("location.hash.includes('of=62') &&"
                  " document.querySelector('.page').textContent.includes('There is no report.')")


def test_a_name_finds_users_of_the_whole_app(console, hands):  # noqa: F811
    address = console.address
    call(address, "AppService/UpdateApp", settings={"findsUsers": True},
         updateMask="findsUsers")
    call(address, "ProfileService/UpdateProfile", userId="63", profile={"nick": "张三"})
    call_until(lambda answer: "users" in answer, address, "ProfileService/FindUsers", userId="0",
               keyword="zhangs")
    console.show("graph")
    hands.type("Find a user", "zhangs")
    hands.click("Find")
    console.until("location.hash === '#graph?id=63'")
    console.until("document.querySelector('.page canvas')")
    call(address, "AppService/UpdateApp", updateMask="findsUsers")


def test_the_log_names_actor_request_and_time_of_each_change(console, hands):  # noqa: F811
    address = console.address
    for number in range(14):
        for method in ("AddToBlacklist", "RemoveFromBlacklist"):
            call(address, f"BlacklistService/{method}", userId="21", userIds=["22"],
                 options={"requestId": f"{method}-{number}-{id(console)}", "deviceId": "phone"})
    console.show("user", id=21, part="log")
    row = console.until(f"{ROWS}[0]")
    assert "Unblocked" in row and "22" in row and "RemoveFromBlacklist-13" in row
    assert row.endswith("from phone")
    assert console.ask("return document.querySelector('.content time').dateTime")
    hands.click("Show more")
    console.until(f"{ROWS}.length > 25")
    sequences = [
        int(each) for each in console.ask(
            "return [...document.querySelectorAll('.content tbody td:first-child')]"
            ".map(cell => cell.textContent.replaceAll(',', ''))")]
    assert sequences == list(range(sequences[0], sequences[0] - len(sequences), -1))


def test_a_profile_is_compared_as_two_users_see_it(console, hands):  # noqa: F811
    address = console.address
    call(address, "ProfileService/UpdateProfile", userId="23",
         profile={"nick": "Ann", "email": "ann@example.org", "gender": "GENDER_FEMALE"})
    call(address, "ProfileService/SetVisibility", userId="23", visibility="VISIBILITY_FRIENDS",
         fields=[{"field": "gender", "visibility": "VISIBILITY_INVISIBLE"}])
    call(address, "FriendService/AddFriends", userId="23", items=[{"userId": "24"}])
    call(address, "FriendService/DeleteFriends", userId="23", userIds=["4038"],
         deleteType="DELETE_TYPE_BOTH")
    call(address, "ProfileService/UpdateProfile", userId="24", profile={"nick": "Vera"})
    console.show("user", id=23, part="seen")
    hands.type("As seen by", "24")
    hands.type("and by", "4038")
    hands.click("Compare")
    console.until("location.hash.includes('as=24&and=4038')")
    cells = "[...document.querySelectorAll('.content tr')].map(row => [...row.cells].map(cell => " \
            "cell.querySelector('summary')?.textContent ?? cell.textContent))"
    console.until(f"{cells}.some(([name]) => name === 'Mail address')")
    rows = {name: seen for name, *seen in console.ask(f"return {cells}")}
    assert rows["Mail address"] == ["ann@example.org", "Hidden – the profile is for friends"]
    # Those who look have their names too.
    console.until("[...document.querySelectorAll('.content li')].some(each => "
                  "each.textContent.startsWith('Vera 24: '))")
    assert rows["Nickname"] == ["Ann", "Ann"]
    # The rule of a single field counts too, as the server has it.
    assert rows["Gender"] == ["Hidden – the user shows this field to no other user"] * 2
    hands.click("Hidden – the profile", "summary", "td")
    last = console.until("document.querySelector('td details[open] ol')?.innerText")
    assert "Whether the profile as a whole is for 4038: decided\nFriends" in last
    assert "23 about 4038: none" in last and "Whether the field has a value" in last
    # One that blocks a viewer hides all but its card.
    call(address, "BlacklistService/AddToBlacklist", userId="23", userIds=["4038"])
    console.show("user", **{"id": 23, "part": "seen", "as": "4038", "and": "no-such"})
    console.until(f"{cells}.some(each => each[1] === 'Hidden – the owner blocks the viewer')")
    assert "is not an account of the app" in console.until(
        "[...document.querySelectorAll('.content li')].find(each => "
        "each.textContent.startsWith('no-such: '))?.textContent")
    call(address, "BlacklistService/RemoveFromBlacklist", userId="23", userIds=["4038"])
    call(address, "ProfileService/SetVisibility", userId="23", visibility="VISIBILITY_FRIENDS")
    hands.click("Profile", "nav a")
    console.until(f"{TEXT}.includes('In effect') && {ROWS}.some(row => row.includes('friends'))")


# Refuses the change of a profile as a hook does.
REFUSING = """
    const plain = window.fetch;
    window.fetch = (...asked) => asked[0].includes('UpdateProfile') &&
        !asked[0].includes('Explain') ? Promise.resolve(new Response(
            JSON.stringify({code: 'permission_denied', message: 'the hook says no'}),
            {status: 403, headers: {'content-type': 'application/json'}})) : plain(...asked);
"""


def test_the_form_of_a_profile_says_who_may_change_it(console, hands):  # noqa: F811
    address = console.address
    call(address, "ProfileService/UpdateProfile", userId="4060", profile={"nick": "x"})
    call(address, "ModerationService/SuspendAccounts", items=[
        {"userId": "4060", "level": "SUSPENSION_LEVEL_LIMITED"}])
    console.show("user", id=4060)
    hands.click("Edit the profile")
    hands.click("Who may change it", within="dialog")
    chains = f"[...{DIALOG}.querySelectorAll('.chain')]"
    heads = f"{chains}.map(each => each.querySelector('summary').textContent)"
    console.until(f"{chains}.length === 2")
    app, own = console.ask(f"return {heads}")
    assert app == "The app changes it: yes"
    assert own.startswith("The user changes it: ") and "yes" not in own
    assert console.ask(f"return {chains}.map(each => each.open)") == [False, True]
    assert "Whether the call would write" in console.ask(f"return {chains}[0].textContent")
    assert "a suspension of 4060 forbids the call: it ends here" in console.ask(
        f"return {chains}[1].innerText")
    hands.click("Cancel", within="dialog")
    # A fault of a value says itself why; a change that is refused as a whole opens the rules.
    hands.click("Edit the profile")
    hands.type("Nickname", "x" * 501, within="dialog")
    hands.click("Save", within="dialog")
    console.until(f"{DIALOG}.querySelector('.error:not(:empty)')")
    assert not console.ask(f"return {DIALOG}.querySelector('details').open")
    console.ask(REFUSING)
    hands.type("Nickname", "y", within="dialog")
    hands.click("Save", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('the hook says no') && {chains}.length === 2")
    hands.click("Cancel", within="dialog")
    call(address, "ModerationService/ReinstateAccounts", userIds=["4060"])


def test_an_event_in_the_log_is_explained_for_another_user(console, hands):  # noqa: F811
    address = console.address
    for user, nick in (("4061", "Eva"), ("4062", "Mia")):
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": nick})
    console.show("user", id=4061, part="log")
    hands.click("To whom it comes", "summary", "td")
    hands.type("Stream of user", "4062", within="td details[open]")
    hands.click("Explain what comes", "button", "td details[open]")
    head = "document.querySelector('td .chain summary')?.textContent"
    assert console.until(head) == "Comes to 4062: no"
    assert "Whether 4062 has 4061 as a friend" in console.ask(
        "return document.querySelector('td .chain').innerText")
    call(address, "FriendService/AddFriends", userId="4062", items=[{"userId": "4061"}], force=True)
    hands.click("Explain what comes", "button", "td details[open]")
    console.until(f"{head} === 'Comes to 4062: yes'")
    fields = "[...document.querySelectorAll('td .chain > details > summary')]"
    assert console.ask(f"return {fields}.map(each => each.textContent)") == ["Nickname: shown"]


def test_a_write_is_tried_dry_and_then_made_with_its_result(console, hands):  # noqa: F811
    address = console.address
    call(address, "FriendService/DeleteFriends", userId="4030", userIds=["25"],
         deleteType="DELETE_TYPE_BOTH")
    call(address, "FriendApplicationService/WithdrawApplications", userId="4030", userIds=["25"])
    call(address, "ProfileService/UpdateProfile", userId="25",
         profile={"allowType": "ALLOW_TYPE_NEED_CONFIRM"})

    def relation():
        return call(address, "FriendService/GetRelations", userId="4030", userIds=["25"])[
            "results"][0]

    console.show("user", id=4030)
    hands.click("Add a friend")
    assert console.until("document.querySelector('#acts-error').textContent") == (
        "Give the id of the other user.")
    hands.type("Other user", "25")
    hands.click("Add a friend")
    hands.click("Dry run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('nothing was changed')")
    assert "PENDING" in console.ask(f"return {DIALOG}.textContent") and "sent" not in relation()
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    hands.click("Applications", "nav a")
    console.until(f"{TEXT}.includes('Sent') && {ROWS}.some(row => row.includes('waits'))")
    assert relation()["sent"]
    console.show("user", id=25, part="applications")
    act(hands, "4030", "Answer an application")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until(f"{ROWS}.some(row => row.includes('accepted'))")
    assert relation()["relation"] == "FRIEND_RELATION_BOTH_WAY"
    console.until("document.querySelector('#acts-relation').textContent.includes("
                  "'each has the other as a friend')")


def test_a_refused_write_tells_its_code_reason_and_info(console, hands):  # noqa: F811
    console.show("user", id=0)
    hands.type("Other user", "1")
    hands.click("Add a friend")
    hands.click("Dry run", within="dialog")
    told = console.until(f"{DIALOG}.querySelector('.answer pre')?.textContent")
    for each in ("FRIEND_STATUS_PARAM_INVALID", "REASON_SNS_FRIEND_ADD_FRIEND_EXIST", "Err_SNS_"):
        assert each in told


def test_a_pair_is_explained_rung_by_rung(console, hands):  # noqa: F811
    address = console.address
    for user in ("4041", "4042"):
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": user})
    call(address, "BlacklistService/AddToBlacklist", userId="4041", userIds=["4042"])
    console.show("user", id=4042)
    hands.type("Other user", "4041" + TAB)
    console.until("document.querySelector('#acts-relation').textContent.includes("
                  "'the other blocks this user')")
    hands.click("Explain", within=".acts")
    chains = "[...document.querySelectorAll('.acts .chain')]"
    console.until(f"{chains}.length === 6")
    heads = f"{chains}.map(each => each.querySelector('summary').textContent)"
    assert console.ask(f"return {heads}") == [
        "Send a message: The sender is on the receiver's blacklist",
        "Add as a friend: The caller is on the user's blacklist",
        "Accept the application: No application of that user waits for the caller",
        "Follow: The caller is on the user's blacklist", "Block: yes",
        "Check the friendship: neither has the other as a friend"]
    last = f"{chains}.map(each => each.querySelector('ol').lastElementChild.textContent)"
    ends = console.ask(f"return {last}")
    for text in (ends[0], ends[1], ends[3]):
        assert text.startswith("Whether 4041 has 4042 on its blacklist: it ends here"
                               "4041 about 4042: there since ")
    assert "Whether the call would write" in ends[4]
    # The one that is asked about first is open, and the other direction has an address.
    assert console.ask(f"return {chains}.map(each => each.open)") == [True] + [False] * 5
    hands.click("May 4041 do so to 4042?")
    console.until(f"location.hash === '#user?id=4041&why=4042' && {chains}.length === 6 &&"
                  f" {heads}[0] === 'Send a message: yes'")
    # An invitation is explained by its id, for whichever user.
    made = call(address, "InvitationService/CreateInvitation", userId="4041", maxUses=1,
                expirySeconds="3600")
    console.show("user", id=4041, part="invitations")
    hands.type("User", "4042", within=".content")
    hands.type("Id of the invitation", made["invitation"]["invitationId"])
    hands.click("Explain its use")
    console.until("document.querySelector('.content .chain summary')?.textContent ==="
                  " \"Use the invitation: The caller is on the inviter's blacklist\"")
    call(address, "BlacklistService/RemoveFromBlacklist", userId="4041", userIds=["4042"])


def test_changes_are_looked_up_filtered_and_taken_back(console, hands):  # noqa: F811
    address = console.address
    one, two = "4050", "4051"
    for user in (one, two):
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": user})
    console.show("user", id=one, part="history")
    console.until(f"{TEXT}.includes('keeps no changes')")
    call(address, "AppService/UpdateApp", settings={"historyDays": 30}, updateMask="historyDays")
    console.show("user", id=one, part="history")
    console.until(f"{TEXT}.includes('No such change is kept')")
    call(address, "FriendService/AddFriends", userId=one, items=[{"userId": two, "remark": "pal"}])
    call(address, "FriendService/UpdateFriends", userId=one, items=[
        {"userId": two, "remark": "mate", "starred": True}])
    call(address, "FriendService/DeleteFriends", userId=one, userIds=[two],
         deleteType="DELETE_TYPE_BOTH")
    call(address, "FollowService/Follow", userId=one, userIds=[two])
    call(address, "ProfileService/UpdateProfile", userId=one, profile={"nick": "Ann"})
    console.show("user", id=one, part="history")
    cells = "[...document.querySelectorAll('.content tbody tr')].map(row =>" \
            " [...row.cells].slice(3, 6).map(cell => cell.textContent))"
    rows = console.until(f"{cells}.length === 7 && {cells}")
    assert rows[0] == ["Ann 4050 changed the profile", "Nickname: 4050", "Nickname: Ann"]
    assert rows[1][0] == "Ann 4050 followed 4051" and rows[1][1] == "none"
    assert rows[2][0] == "Ann 4050 lost the friend 4051" and rows[2][1].startswith("Remark: mate")
    assert rows[4] == ["Ann 4050 changed the entry of the friend 4051", "Remark: palStarred: no",
                       "Remark: mateStarred: yes"]
    # The addition is in the way of nothing but the row, which is gone: the undo of the deletion
    # comes first, or that of the change conflicts.
    choose = "[...document.querySelectorAll('.content tbody button')].at(arguments[0]).click()"
    console.ask(choose, -2)
    console.until(f"{DIALOG}?.textContent.includes('1 conflict')")
    assert console.ask(
        f"return [...{DIALOG}.querySelectorAll('button')].find(each =>"
        " each.textContent === 'Undo').disabled")
    hands.click("Cancel", within="dialog")
    # Two at once: the latest is taken back first.
    for index in (-2, -3):
        console.ask("[...document.querySelectorAll('.content input[type=checkbox]')]"
                    ".at(arguments[0]).click()", index)
    hands.click("Undo the chosen")
    console.until(f"{DIALOG}.textContent.includes('Nothing stands in the way')")
    hands.click("Undo", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('Taken back')")
    hands.click("Close", within="dialog")
    # The undo of both is a change of its own.
    console.until(f"{cells}[0][0] === 'Ann 4050 got the friend 4051' &&"
                  f" {cells}[0][2].startsWith('Remark: pal')")
    [found] = call(address, "FriendService/GetFriends", userId=one, userIds=[two])["results"]
    assert found["friendEntry"]["remark"] == "pal" and "starred" not in found["friendEntry"]
    # Filters stand in the address.
    hands.choose("Kind", "followed")
    hands.type("With user", two)
    hands.click("Filter")
    console.until(f"location.hash === '#user?id={one}&part=history&kind=FOLLOWING_CHANGED&with={two}'"
                  f" && {cells}.length === 1")
    hands.type("Made by user", two)
    hands.click("Filter")
    console.until(f"{TEXT}.includes('No such change is kept')")
    # Of a pair they lead here.
    hands.type("Other user", two + TAB)
    hands.click("History of the two")
    console.until(f"location.hash.endsWith('with={two}') && {cells}.length >= 5")
    call(address, "AppService/UpdateApp", updateMask="historyDays")


def test_names_of_users_and_groups_stay_text(console, hands):  # noqa: F811
    address = console.address
    call(address, "ProfileService/UpdateProfile", userId="4031", profile={"nick": NICK})
    call(address, "FriendGroupService/CreateFriendGroups", userId="4031", names=[GROUP])
    call(address, "FriendService/AddFriends", userId="26", items=[{"userId": "4031"}])
    for part in ("profile", "groups", "log", "seen"):
        console.show("user", id=4031, part=part)
        console.until("document.querySelector('.head h2').textContent.includes(arguments[0])",
              NICK)
        wanted = GROUP if part in ("groups", "log") else NICK
        console.until(f"{TEXT}.includes(arguments[0])", wanted)
        assert console.ask("return document.querySelectorAll('.page :is(img, script)').length") == 0
    console.show("user", id=26, part="friends")
    hands.type("Name", "<img")
    hands.click("Filter")
    console.until(f"{ROWS}[0]?.startsWith(arguments[0])", f"<{NICK}")


def test_a_user_is_found_and_its_lists_are_reached_by_keys_alone(console, hands):  # noqa: F811
    console.show("user", id="unknown")
    console.until("document.querySelector('.page').textContent.includes('has no account unknown')")
    console.show("user")
    console.until("document.querySelector('.bar input')?.focus() ?? true")
    hands.press("unknown" + ENTER)
    console.until("document.querySelector('.page').textContent.includes("
                  "'No user is found by “unknown”.')")
    console.ask("document.querySelector('.bar input').select();"
                "document.querySelector('.bar input').focus()")
    hands.press("13" + ENTER)
    console.until("document.querySelector('.head h2')?.textContent.includes('13') &&"
                   "document.querySelector('.content td')")
    console.ask("document.querySelector('.bar input').focus()")
    # Three buttons, two links, the part Profile, and then the friends.
    hands.press(TAB * 7 + ENTER)
    console.until("location.hash === '#user?id=13&part=friends'")
    console.until(f"{ROWS}.length > 1")
    hands.sees_failed_calls(404)


@pytest.mark.parametrize("part", ["log", "history"])
def test_the_log_and_the_history_have_the_names_of_users(console, part):  # noqa: F811
    address = console.address
    call(address, "AppService/UpdateApp", settings={"historyDays": 7}, updateMask="historyDays")
    for user, nick in (("51", "Zoë"), ("52", "小龙")):
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": nick},
             updateMask="nick")
    for method in ("AddToBlacklist", "RemoveFromBlacklist"):
        call(address, f"BlacklistService/{method}", userId="51", userIds=["52", "53"])
    console.show("user", id=51, part=part)
    text = console.until(f"{ROWS}.some(row => row.includes('小龙 52')) && {ROWS}.join(' ')")
    assert "Zoë 51" in text and "53" in text
    assert console.ask("return [...document.querySelectorAll('.content td a')]"
                       ".find(each => each.textContent === '小龙').hash") == "#user?id=52"
    call(address, "AppService/UpdateApp", updateMask="historyDays")
