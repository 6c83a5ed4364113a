import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

/// Some answers are made of rows that are not decoded, so each stored field is a field of the
/// contract.
@Suite struct StoredFormTests {
    /// The fields of a message, one a line, without its name.
    private func fields(_ schema: Schema) -> [String] {
        schema.fields.map(\.description)
    }

    @Test func aStoredFriendIsTheContractsFriend() {
        // Fields that are joined to a row are never stored with it.
        let joined = Friend.schema.fields.filter { (10...12).contains($0.number) }
        #expect(joined.map(\.name) == ["display_name", "section", "profile"])
        let stored = Friend.schema.fields.filter { !(10...12).contains($0.number) }
        #expect(fields(FriendRecord.schema) == stored.map(\.description))
        #expect(fields(FriendRecord.schema).count == 13)
    }

    @Test func aStoredBlacklistRowIsTheContractsEntry() {
        let joined = BlacklistEntry.schema.fields.filter { $0.number >= 3 }
        #expect(joined.map(\.name) == ["profile"])
        let stored = fields(BlacklistRecord.schema)
        #expect(stored + joined.map(\.description) == fields(BlacklistEntry.schema))
    }

    @Test func aStoredFollowIsTheContractsEntry() {
        let joined = FollowEntry.schema.fields.filter { $0.number >= 3 }
        #expect(joined.map(\.name) == ["profile"])
        let stored = fields(FollowRecord.schema)
        #expect(stored + joined.map(\.description) == fields(FollowEntry.schema))
    }

    @Test func aStoredDismissalIsTheContractsEntry() {
        let joined = DismissedSuggestion.schema.fields.filter { $0.number >= 3 }
        #expect(joined.map(\.name) == ["profile"])
        let stored = fields(DismissalRecord.schema)
        #expect(stored + joined.map(\.description) == fields(DismissedSuggestion.schema))
    }

    @Test func aStoredReportIsTheContractsReport() {
        #expect(fields(ReportRecord.schema) == fields(UserReport.schema))
    }

    /// The fields of a message and of the messages in it, one a line, without the messages' names.
    ///
    /// - Parameters:
    ///   - isWire: Whether these fields are the contract's, of which some stand in no log.
    ///   - path: The path of the message.
    private func shape(_ schema: Schema, isWire: Bool, _ path: String = "") -> [String] {
        var lines: [String] = []
        for field in schema.fields {
            let name = path + field.name
            guard isWire ? !Self.unstored.contains(name) : field.number < 100 else { continue }
            // A stored field that was never set is absent, where the contract's field is empty.
            let label = field.label == .repeated ? "repeated" : ""
            guard case .message(let inner) = field.type else {
                lines.append("\(name) \(field.number) \(field.type) \(label)")
                continue
            }
            lines.append("\(name) \(field.number) message \(label)")
            guard inner.fullName != CustomValue.schema.fullName else { continue }
            lines += shape(inner, isWire: isWire, name + ".")
        }
        return lines
    }

    /// The fields of an event that come from its key, and those that no event of a log has.
    private static let unstored: Set<String> = [
        "user_id", "sequence", "items.friend_entry.display_name", "items.friend_entry.section",
        "items.friend_entry.profile", "items.dismissed_suggestion.profile",
        "items.follow.profile", "items.blacklist_entry.profile", "items.subscription.profile",
        "items.subscription.presence", "items.application.nick", "items.application.face_url",
        "items.profile.age_range", "items.presence.user_id", "items.presence.online",
        "items.presence.devices", "items.presence.last_seen_time_ms", "items.suspension.user_id",
        "sync_type",
    ]

    @Test func aStoredEventIsTheContractsEvent() {
        let stored = shape(ChangeRecord.schema, isWire: false)
        #expect(stored == shape(RelationAPI.ChangeEvent.schema, isWire: true))
        #expect(stored.count > 70, "it holds the rows of every list")
    }

    @Test func aStoredEventGoesOutAsItsBytesAndItsKey() throws {
        var record = ChangeRecord()
        record.kind = .visibilityChanged
        record.timeMs = World.start
        record.actorUserID = "A"
        record.feedPosition = 5
        var item = ChangeItemRecord(about: "A")
        item.profile = ProfileRecord.full.forEvent(of: "A")
        item.visibility = .notSet
        item.fields = ["visibility"]
        record.items = [item]
        let arena = Arena()
        defer { arena.free() }
        let bytes = try Coder(ChangeRecord.self).bytes(record, arena)
        let event = try bytes.withUnsafeBytes { bytes in
            try ChangeView(isAdmin: true, .tim).event(bytes, of: "A", at: 7, arena).decoded(arena)
        }
        #expect(event.userID == "A" && event.sequence == 7 && event.feedPosition == 5)
        #expect(event.kind == .visibilityChanged && event.timeMs == World.start)
        let profile = try #require(event.items.first?.profile)
        #expect(profile == Profile(whole: ProfileRecord.full, of: "A"))
        #expect(event.items.first?.visibility == .notSet)
    }

    @Test(arguments: [1, 8, 130, 2_147_483_647, -1] as [Int32])
    func theKindOfAStoredEventIsReadFromItsFirstBytes(_ number: Int32) throws {
        var record = ChangeRecord()
        record.kind = ChangeKind(rawValue: number)
        record.timeMs = 1
        let kind = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(ChangeRecord.self).bytes(record, arena)
        }.withUnsafeBytes { ChangeKind(storedEvent: $0) }
        #expect(kind.rawValue == number)
        let none = [UInt8]().withUnsafeBytes { ChangeKind(storedEvent: $0) }
        #expect(none == .unspecified)
    }

    @Test(arguments: [1, 8, 130, 2_147_483_647, -1] as [Int32])
    func whatDecidesWhoGetsAStoredEventIsReadAsItIsWritten(_ number: Int32) throws {
        var record = ChangeRecord()
        record.kind = ChangeKind(rawValue: number)
        record.timeMs = World.start
        record.actorUserID = "A"
        record.deviceID = "phone é"
        record.feedPosition = .max - Int64(number.magnitude)
        record.items = [ChangeItemRecord(about: "B"), ChangeItemRecord(about: "C")]
        let bytes = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(ChangeRecord.self).bytes(record, arena)
        }
        let event = try StoredEvent(bytes, of: "A", sequence: 7)
        #expect(event.kind == record.kind)
        #expect(event.deviceID == record.deviceID)
        #expect(event.position == record.feedPosition)
        let none = try StoredEvent([], of: "A", sequence: 7)
        #expect(none.kind == .unspecified && none.deviceID.isEmpty && none.position == 0)
        #expect(throws: CodecError(.malformed, "")) {
            try StoredEvent(Array(bytes.dropLast()), of: "A", sequence: 7)
        }
    }

    @Test(arguments: [0, 1, 127, 128, .max] as [Int64])
    func aSentEventEndsAsTheCodecWritesIt(sequence: Int64) throws {
        let arena = Arena()
        defer { arena.free() }
        let output = OutputBuffer()
        EventSuffix.append("a user of 30 bytes or some more", sequence, to: output)
        let suffix = EventSuffix("a user of 30 bytes or some more", sequence: sequence)
        #expect(try suffix.bytes(arena) == [UInt8](output.bytes))
    }

    @Test func aStoredSubscriptionIsTheContractsSubscription() {
        let joined = Subscription.schema.fields.filter { $0.number >= 5 }
        #expect(joined.map(\.name) == ["profile", "presence"])
        let stored = fields(SubscriptionRecord.schema)
        #expect(stored + joined.map(\.description) == fields(Subscription.schema))
    }

    @Test func aStoredInvitationIsTheContractsInvitation() {
        #expect(fields(InvitationRecord.schema) == fields(Invitation.schema))
    }

    @Test func aStoredRowReadsAsTheContractsMessage() throws {
        var record = FriendRecord()
        record.userID = "B"
        record.remark = "a\u{0}b"
        record.groups = ["one", "é"]
        record.source = "AddSource_Type_Web"
        record.wording = "hello"
        record.addTimeMs = -5
        record.remarkTimeMs = .max
        record.sequence = 7
        record.custom = [CustomValue("Pet", .data([0])), CustomValue("Size", .number(0))]
        record.starred = true
        record.pinOrder = 3
        record.muteUntilMs = .max
        record.ignored = true
        let friend = try Arena.temporary { (arena) throws(CodecError) in
            let bytes = try Coder(FriendRecord.self).bytes(record, arena)
            return try Coder(Friend.self).message(bytes, arena)
        }
        #expect(friend.userID == "B" && friend.remark == "a\u{0}b")
        #expect(friend.groups == ["one", "é"] && friend.source == "AddSource_Type_Web")
        #expect(friend.wording == "hello" && friend.addTimeMs == -5)
        #expect(friend.remarkTimeMs == .max && friend.sequence == 7)
        #expect(friend.custom == record.custom && friend.starred && friend.ignored)
        #expect(friend.pinOrder == 3 && friend.muteUntilMs == .max)
    }
}
