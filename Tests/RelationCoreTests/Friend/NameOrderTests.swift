import RelationCore
import RelationModel
import RelationSuite
import Testing

/// Lists are sorted by names, and searched.
@Suite struct NameOrderTests {
    private func member(
        _ user: UserID, remark: String = "", nick: String = "", first: String = "",
        middle: String = "", last: String = "", name: String = ""
    ) -> NamedFriendList.Member {
        var names = Names()
        names.nick = nick
        names.name = name
        names.firstName = first
        names.middleName = middle
        names.lastName = last
        return NamedFriendList.Member(user: user, remark: remark, names: names)
    }

    private func namedFriends(_ members: [NamedFriendList.Member]) -> NamedFriendList {
        NamedFriendList(
            of: "owner", members.sorted { $0.user < $1.user }, defaultVisibility: .everyone)
    }

    private func ids(_ namedFriends: NamedFriendList, _ order: NameOrder) -> String {
        namedFriends.sorted(by: order).rows.map { namedFriends.members[$0.member].user.text }
            .joined()
    }

    @Test func theRemarkIsShownElseTheNameElseTheNickElseTheID() {
        var ada = member(
            "A", remark: "Countess", nick: "ada", first: "Ada", middle: "King",
            last: "Lovelace", name: "A. Lovelace")
        #expect(ada.displayName(.firstName) == "Countess")
        ada = NamedFriendList.Member(user: "A", remark: "", names: ada.names)
        #expect(ada.displayName(.firstName) == "Ada King Lovelace")
        #expect(ada.displayName(.unspecified) == "Ada King Lovelace")
        #expect(ada.displayName(.lastName) == "Lovelace Ada King")
        ada.names.firstName = ""
        ada.names.middleName = ""
        #expect(ada.displayName(.lastName) == "Lovelace")
        ada.names.lastName = ""
        #expect(ada.displayName(.firstName) == "A. Lovelace")
        ada.names.name = ""
        #expect(ada.displayName(.firstName) == "ada")
        ada.names.nick = ""
        #expect(ada.displayName(.firstName) == "A")
    }

    @Test func theSortOrderAndTheDisplayOrderAreIndependent() {
        let list = namedFriends([
            member("1", first: "Ada", last: "Lovelace"), member("2", first: "Zoe", last: "Adams"),
            member("3", first: "Mia", middle: "B", last: "Young"),
            member("4", first: "Mia", middle: "A", last: "Zander"),
        ])
        #expect(ids(list, .firstName) == "1432")
        #expect(ids(list, .lastName) == "2134")
        #expect(ids(list, .displayName(.firstName)) == "1432")
        #expect(ids(list, .displayName(.lastName)) == "2134")
    }

    @Test func aRemarkMovesARowOnlyWhereItIsShown() {
        let list = namedFriends([
            member("1", remark: "zz", first: "Ada"), member("2", remark: "aa", first: "Bob"),
        ])
        #expect(ids(list, .firstName) == "12")
        #expect(ids(list, .displayName(.firstName)) == "21")
    }

    @Test func equalNamesComeByIDAndMissingOnesAreEmpty() {
        let list = namedFriends([
            member("3", first: "Ann"), member("1", first: "Ann"), member("2"),
            member("4", first: "1"), member("5", last: "Ann"),
        ])
        // An empty text stands first in the last section.
        #expect(ids(list, .firstName) == "13254")
        #expect(ids(list, .lastName) == "52413")
    }

    @Test func sectionsStandTogetherAndNonLettersAreLast() {
        let list = namedFriends([
            member("1", nick: "王五"), member("2", nick: "Will"), member("3", nick: "wanda"),
            member("4", nick: "张三"), member("5", nick: "Zed"), member("6", nick: "8ball"),
            member("7", nick: "Ünal"), member("8", nick: "Дима"), member("9", remark: "abe"),
        ])
        let sorted = list.sorted(by: .displayName(.firstName))
        let letters = sorted.rows.map { sorted.letter(of: $0) }.joined()
        #expect(letters == "AUWWWZZ##")
        #expect(sorted.sections.map(\.letter) == ["A", "U", "W", "Z", "#"])
        #expect(sorted.sections.map(\.count) == [1, 1, 3, 2, 2])
    }

    @Test func noFriendsMakeNoSections() {
        let sorted = namedFriends([]).sorted(by: .firstName)
        #expect(sorted.rows.isEmpty && sorted.sections.isEmpty)
        #expect(sorted.rows(after: nil, descending: true).isEmpty)
    }

    @Test func namesThatAgreeForLongComeByIDAndTheirPositionsStayShort() {
        let long = String(repeating: "王", count: 200)
        let list = namedFriends([member("1", nick: long + "b"), member("2", nick: long + "a")])
        let sorted = list.sorted(by: .displayName(.firstName))
        #expect(ids(list, .displayName(.firstName)) == "12")
        #expect(sorted.rows.allSatisfy { sorted.nameKey(of: $0).key.count == 160 })
    }

    @Test(arguments: [false, true])
    func everyPositionDividesTheListWhetherItsRowIsThereOrNot(descending: Bool) {
        let names = ["", "a", "A", "b", "王", "z", "#", "é", "e"]
        let list = namedFriends(names.enumerated().map { member(UserID("u\($0)")!, nick: $1) })
        let sorted = list.sorted(by: .displayName(.firstName))
        let all = sorted.rows(after: nil, descending: descending)
        #expect(all.count == names.count)
        for (count, row) in all.enumerated() {
            let nameKey = sorted.nameKey(of: row)
            let rest = sorted.rows(after: nameKey, descending: descending)
            #expect(rest.map(\.member) == all[(count + 1)...].map(\.member))
            let without = namedFriends(list.members.filter { $0.user != nameKey.user })
                .sorted(by: .displayName(.firstName))
            #expect(without.rows(after: nameKey, descending: descending).count == rest.count)
        }
    }

    // MARK: Searching

    private func found(
        _ keyword: String, _ match: SearchMatch = .substring, in members: [NamedFriendList.Member]
    ) -> String {
        let list = namedFriends(members)
        guard let search = FriendSearch(keyword, match) else { return "nothing to look for" }
        let hits = search.hits(in: list, sortedBy: list.sorted(by: .displayName(.firstName)))
        return hits.map { list.members[$0.row.member].user.text }.joined()
    }

    @Test func aRemarkMatchComesBeforeANameMatchAndThatBeforeAnID() {
        let members = [
            member("1bob"), member("2", nick: "Bob"), member("3", remark: "my bob", nick: "Z"),
            member("4", remark: "A bob"), member("5", first: "Bob", last: "Ross"),
            member("6", name: "bobby"), member("7", nick: "rob"),
        ]
        #expect(found("BOB", in: members) == "43" + "256" + "1bob")
    }

    @Test func caseAndWidthMakeNoDifference() {
        let members = [
            member("1", nick: "ＡＬＩＣＥ"), member("2", nick: "alice"),
            member("3", remark: "Straße"), member("4", nick: "カタカナ"),
        ]
        #expect(found("AlIcE", in: members) == "21" || found("AlIcE", in: members) == "12")
        #expect(found("ａｌｉ", in: members).count == 2)
        #expect(found("STRASSE", in: members) == "3")
        #expect(found("ｶﾀ", in: members) == "4")
        #expect(found("e\u{301}", in: [member("5", nick: "caf\u{E9}")]) == "5")
    }

    @Test func aPrefixIsThatOfAnyOfTheTexts() {
        let members = [
            member("1x", remark: "Xavi", nick: "Leo", first: "Lionel", last: "Messi")
        ]
        for keyword in ["xa", "le", "lio", "messi", "messi l", "lionel messi", "1x"] {
            #expect(found(keyword, .prefix, in: members) == "1x", "\(keyword)")
        }
        for keyword in ["avi", "eo", "essi", "x1"] {
            #expect(found(keyword, .prefix, in: members) == "", "\(keyword)")
        }
        #expect(found("essi", .unspecified, in: members) == "1x")
    }

    @Test(arguments: ["", " ", "\t\n", "\u{A0}\u{3000}", "\u{200B}", " \u{AD} ", "\u{7}"])
    func aKeywordWithoutAVisibleCharacterFindsNothing(keyword: String) {
        #expect(found(keyword, in: [member("1", nick: "Salt Lake")]) == "nothing to look for")
    }

    @Test func aSpaceBetweenWordsCounts() {
        let members = [member("1", nick: "Salt Lake"), member("2", nick: "Saltlake")]
        #expect(found("t l", in: members) == "1")
    }

    @Test func noTextRunsIntoTheNext() {
        let members = [member("cd", remark: "ab", nick: "ef", name: "gh")]
        for keyword in ["abe", "fg", "hc", "bef", "efgh"] {
            #expect(found(keyword, in: members) == "", "\(keyword)")
        }
    }

    @Test func aKeywordLongerThanEveryTextFindsNothing() {
        #expect(found(String(repeating: "a", count: 64), in: [member("a", nick: "aaa")]) == "")
    }
}
