import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Testing

/// Rows that answers are made of without being decoded: what is stored is field by field what the
/// contract says.
@Suite struct StoredFormTests {
    /// The fields of a message, one a line, without its name.
    private func fields(_ schema: Schema) -> [String] {
        schema.fields.map(\.description)
    }

    @Test func aStoredFriendIsTheContractsFriend() {
        // What is joined to a row is never stored with it.
        let joined = Friend.schema.fields.filter { $0.number >= 20 }
        #expect(joined.map(\.name) == ["display_name", "section", "profile"])
        #expect(fields(FriendRecord.schema) + joined.map(\.description) == fields(Friend.schema))
        #expect(fields(FriendRecord.schema).count == 9)
    }

    @Test func aStoredBlacklistRowIsTheContractsEntry() {
        #expect(fields(BlacklistRecord.schema) == fields(BlacklistEntry.schema))
        #expect(fields(BlacklistEntry.schema).count == 2)
    }

    @Test func aStoredRowReadsAsTheContractsMessage() throws {
        var record = FriendRecord()
        record.userID = "B"
        record.remark = "a\u{0}b"
        record.groups = ["one", "é"]
        record.addSource = "AddSource_Type_Web"
        record.addWording = "hello"
        record.addTimeMs = -5
        record.remarkTimeMs = .max
        record.sequence = 7
        record.custom = [CustomValue("Pet", .data([0])), CustomValue("Size", .number(0))]
        let friend = try Arena.temporary { (arena) throws(CodecError) in
            let bytes = try Coder(FriendRecord.self).bytes(record, arena)
            return try Coder(Friend.self).message(bytes, arena)
        }
        #expect(friend.userID == "B" && friend.remark == "a\u{0}b")
        #expect(friend.groups == ["one", "é"] && friend.addSource == "AddSource_Type_Web")
        #expect(friend.addWording == "hello" && friend.addTimeMs == -5)
        #expect(friend.remarkTimeMs == .max && friend.sequence == 7)
        #expect(friend.custom == record.custom)
    }
}
