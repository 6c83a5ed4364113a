import Testing

@testable import TIMGateway

/// Errors of calls, with the names of TIM's fields.
@Suite struct TIMFieldNamesTests {
    @Test(arguments: [
        (TIMService.sns, "friend_add", "user_id: must be short", "From_Account: must be short"),
        (
            .sns, "friend_add", "user_id: this app has no account \"a_b: c_d\"",
            "From_Account: this app has no account \"a_b: c_d\""
        ),
        (
            .sns, "friend_add", "items[3].user_id: is bad; add_type: 9 is none",
            "AddFriendItem[3].To_Account: is bad; AddType: 9 is none"
        ),
        (.sns, "friend_add", "items: has 101 items", "AddFriendItem: has 101 items"),
        (.sns, "friend_update", "items[0].tags: has 101", "UpdateItem[0].SnsItem: has 101"),
        (
            .sns, "group_add", "names[1]: is empty; source: x",
            "GroupName[1]: is empty; AddSource: x"
        ),
        (
            .follow, "follow_get", "user_id: a; page_token: is not a token of this list",
            "From_Account: a; StartCursor: is not a token of this list"
        ),
        (.sns, "black_list_get", "page_size: is 0", "MaxLimited: is 0"),
        (.login, "account_check", "user_ids: has 101 items", "CheckItem: has 101 items"),
        (.login, "account_import", "row.user_id: is bad", "AccountList.UserID: is bad"),
        // A name that TIM has no word for keeps no low line.
        (.sns, "friend_get", "a read_at_ms is set", "a ReadAtMs is set"),
        (.sns, "friend_get", "Tag_SNS_IM_Remark is known: yes", "Tag_SNS_IM_Remark is known: yes"),
        (.sns, "friend_get", "the source is known", "the source is known"),
        (.sns, "friend_get", "", ""),
    ])
    func anErrorNamesTIMsFields(service: TIMService, command: String, ours: String, theirs: String)
    {
        #expect(TIMFieldNames(service, command).translated(ours) == theirs)
    }

    @Test func everyCommandHasNoNamesOfOurs() {
        let words =
            "user_id: a; user_ids: b; items[0].friend_user_id: c; page_token: d; options_x: e"
        for name in TIMCommands.names {
            let parts = name.split(separator: "/").map(String.init)
            let text = TIMFieldNames(TIMService(rawValue: parts[0]), parts[1]).translated(words)
            let ours = text.split(separator: " ").filter { word in
                word.contains("_") && word.first?.isLowercase == true
            }
            #expect(ours == [], "\(name): \(text)")
        }
    }
}
