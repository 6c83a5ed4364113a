import RelationAPI
import Testing

@testable import Migrations

/// The file of a pass says what the pass has not read.
struct UnreadKindsTests {
    private static func friend(_ id: String) -> Friend {
        var friend = Friend()
        friend.userID = id
        return friend
    }

    /// The marks among rows.
    private static func marks(_ rows: [ExportAppResponse]) -> [UnreadKinds?] {
        rows.compactMap { row in
            if case .point(let point) = row.row {
                UnreadKinds(token: point.resumeToken)
            } else {
                nil
            }
        }
    }

    @Test func `A mark is read as it was written, behind other parts of a token`() {
        let kinds = UnreadKinds(["friend", UnreadKinds.values("follow")])
        #expect(kinds.mark == "unread:follow.values+friend")
        #expect(UnreadKinds(token: "name-12-3-\(kinds.mark)") == kinds)
        for token in ["", "name-12-3", "unread", "unread:friend-3"] {
            #expect(UnreadKinds(token: token) == nil)
        }
    }

    @Test func `A user without losses has no mark`() {
        var user = MigratedUser("ann", createTimeMs: 1)
        user.friends = [Self.friend("bob")]
        #expect(Self.marks(user.rows()).isEmpty)
    }

    @Test func `Losses of lists and of values are distinguished`() {
        var user = MigratedUser("ann", createTimeMs: 1)
        user.addLoss("friend", because: "has no end")
        user.addLoss("blacklist", "bob", field: "AddBlackTimeStamp", because: "is not a time")
        user.addLoss("follow", "ann", because: "is the user itself")
        user.addLoss("profile", field: "Nick", because: "is too long")
        user.addLoss("account", field: "RegTime", because: "is not a time")
        #expect(
            Self.marks(user.rows()) == [UnreadKinds(["friend", "blacklist.values", "profile"])])
    }

    @Test func `Rows about users outside the file are losses, and their list is not whole`() {
        var user = MigratedUser("ann", createTimeMs: 1)
        user.friends = ["Zoe", "bob", "eve", "zoe"].map(Self.friend)
        let rows = user.rows(among: KnownUsers(sorted: ["Zoe", "ann", "eve"]))
        let friends = rows.compactMap { row -> String? in
            if case .friendEntry(let row) = row.row { row.entry?.userID } else { nil }
        }
        #expect(friends == ["Zoe", "eve"])
        #expect(user.losses.map(\.other) == ["bob", "zoe"])
        #expect(Self.marks(rows) == [UnreadKinds(["friend"])])
    }

    @Test func `Lists that were not returned have no differences, and are named`() throws {
        var (one, two) = (
            MigratedUser("ann", createTimeMs: 1), MigratedUser("ann", createTimeMs: 1)
        )
        one.addLoss("friend", because: "was not returned by TIM: 30003")
        two.friends = [Self.friend("bob")]
        var (old, new) = (MigratedUsers(), MigratedUsers())
        old.add(&one)
        new.add(&two)
        let found = try RowComparison.findings(between: old, and: new)
        #expect(found.differences.isEmpty)
        #expect(
            found.uncompared.map(\.rule) == [
                "could not be compared: was not returned by TIM: 30003, there"
            ])
    }
}
