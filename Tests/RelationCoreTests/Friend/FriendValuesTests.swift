import RelationCore
import RelationModel
import RelationSuite
import Testing

/// The values that a caller gives to a friend: when they are the same, and the rows that they make.
@Suite struct FriendValuesTests {
    private static let now = Timestamp(milliseconds: 1_000)

    private func values(_ edit: (inout FriendValues) -> Void) -> FriendValues {
        var values = FriendValues()
        edit(&values)
        return values
    }

    /// Each edit gives values of their own; the two spellings look alike.
    static let edits: [@Sendable (inout FriendValues) -> Void] = [
        { _ in }, { $0.remark = "" }, { $0.remark = "caf\u{E9}" }, { $0.remark = "cafe\u{301}" },
        { $0.wording = "" }, { $0.source = "" }, { $0.groups = [] }, { $0.groups = ["caf\u{E9}"] },
        { $0.groups = ["cafe\u{301}"] }, { $0.addTimeMs = 0 }, { $0.remarkTimeMs = 0 },
        { $0.custom = [CustomValue(key: "Pet")] }, { $0.starred = false }, { $0.starred = true },
        { $0.pinOrder = 0 }, { $0.pinOrder = 1 }, { $0.muteUntilMs = 0 }, { $0.muteUntilMs = 1 },
        { $0.ignored = false }, { $0.ignored = true },
    ]

    @Test func valuesAreTheSameOnlyByteByByte() {
        for (index, one) in Self.edits.enumerated() {
            for (other, edit) in Self.edits.enumerated() {
                #expect((values(one) == values(edit)) == (index == other), "\(index), \(other)")
            }
        }
    }

    @Test func anEmptyGroupIsNone() {
        #expect(values { $0.group = "" }.groups == [])
        #expect(values { $0.group = "one" }.groups == ["one"])
        #expect(FriendValues().group == "" && values { $0.groups = ["one", "two"] }.group == "one")
    }

    @Test func aRowTakesTheTimesThatTheValuesLack() {
        let plain = FriendRecord("B", FriendValues(), at: Self.now)
        #expect(plain.userID == "B" && plain.addTimeMs == 1_000 && plain.remarkTimeMs == 0)
        let named = FriendRecord("B", values { $0.remark = "dear" }, at: Self.now)
        #expect(named.remark == "dear" && named.remarkTimeMs == 1_000)
        let timed = values {
            $0.remark = "dear"
            $0.remarkTimeMs = 7
            $0.addTimeMs = 6
        }
        let old = FriendRecord("B", timed, at: Self.now)
        #expect(old.remarkTimeMs == 7 && old.addTimeMs == 6)
    }

    @Test func anApplicationKeepsTheValuesOfItsApplicant() {
        let given = values {
            $0.remark = "dear"
            $0.wording = "hello"
            $0.source = "AddSource_Type_Web"
            $0.group = "one"
            $0.custom = [CustomValue("Pet", .number(1)), CustomValue(key: "Name")]
        }
        var record = PendencyRecord()
        record.apply(given)
        #expect(record.values == given)
    }
}
