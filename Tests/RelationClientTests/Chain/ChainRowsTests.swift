import RelationAPI
import RelationModel
import Testing

@testable import RelationClient

/// The rows of a chain, to which events of each kind are applied.
struct ChainRowsTests {
    private static func friend(_ user: String, _ groups: String..., at sequence: Int64) -> Friend {
        .with {
            $0.userID = user
            $0.groups = groups
            $0.sequence = sequence
        }
    }

    private func groups(_ rows: ChainRows) -> [String: [String]] {
        Dictionary(uniqueKeysWithValues: rows.friends.map { ($0.key.text, $0.value.groups) })
    }

    private func event(
        _ kind: ChangeKind, at sequence: Int64, _ item: (inout ChangeItem) -> Void
    ) -> ChangeEvent {
        var change = ChangeItem()
        item(&change)
        return .with {
            $0.kind = kind
            $0.sequence = sequence
            $0.items = [change]
        }
    }

    private let rows = ChainRows(
        [
            Self.friend("ben", "a", "b", at: 1), Self.friend("cat", "b", at: 2),
            Self.friend("dan", at: 3),
        ], sequence: 3)

    @Test func eventsOfGroupsChangeTheRowsOfTheirMembers() {
        var rows = rows
        let events = [
            event(.groupCreated, at: 4) {
                $0.group = .with { $0.name = "c" }
                $0.addedUserIDs = ["dan", "no friend"]
            },
            event(.groupMembersChanged, at: 5) {
                $0.group = .with { $0.name = "a" }
                $0.addedUserIDs = ["cat"]
                $0.removedUserIDs = ["ben"]
            },
            event(.groupRenamed, at: 6) {
                $0.group = .with { $0.name = "bb" }
                $0.oldGroupName = "b"
            },
            event(.groupDeleted, at: 7) { $0.group = .with { $0.name = "c" } },
        ]
        for event in events {
            let isApplied = rows.apply(event)
            #expect(isApplied)
        }
        #expect(groups(rows) == ["ben": ["bb"], "cat": ["bb", "a"], "dan": []])
        #expect(rows.friends[ByteText("dan")]?.sequence == 7 && rows.sequence == 7)
        #expect(rows.friends[ByteText("cat")]?.sequence == 6)
    }

    @Test func aRowThatIsNewerThanAnEventStays() {
        let late = ChainRows(
            [Self.friend("ben", "new", at: 9), Self.friend("cat", "old", at: 2)], sequence: 3)
        let events = [
            event(.deleteFriend, at: 4) { $0.userID = "ben" },
            event(.addFriend, at: 5) { $0.friendEntry = Self.friend("ben", "old", at: 5) },
            event(.groupRenamed, at: 6) {
                $0.group = .with { $0.name = "new" }
                $0.oldGroupName = "old"
            },
            event(.groupDeleted, at: 8) { $0.group = .with { $0.name = "new" } },
        ]
        var (redone, applied) = (late, late)
        for event in events {
            _ = redone.apply(event, isRedo: true)
            _ = applied.apply(event)
        }
        #expect(groups(redone) == ["ben": ["new"], "cat": []])
        #expect(groups(applied) == ["ben": [], "cat": []])
    }

    @Test func aChangeInBulkNamesNoRows() {
        var rows = rows
        let isApplied = rows.apply(event(.listChanged, at: 4) { _ in })
        #expect(!isApplied && rows == self.rows)
    }

    @Test func idsAndGroupsAreEqualByTheirBytes() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let rows = ChainRows(
            [Self.friend(composed, composed, at: 1), Self.friend(decomposed, decomposed, at: 2)],
            sequence: 2)
        let chain = RelationChain("ann", rows, age: .zero)
        #expect(chain.friendCount == 2)
        #expect(chain.friends(in: composed).map { Array($0.userID.utf8) } == [Array(composed.utf8)])
        #expect(chain.friend(decomposed)?.sequence == 2)
        #expect(ByteText(decomposed) < ByteText(composed))
    }

    @Test func aMirrorShowsNoTextsOfFriends() {
        let chain = RelationChain("ann", rows, age: .seconds(1))
        var text = ""
        dump(chain, to: &text)
        #expect(text.contains("friends: 3") && !text.contains("ben"))
    }
}
