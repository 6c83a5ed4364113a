import Memory
package import Protobuf
package import Storage

/// One device of a user, as servers of one store report it to one another.
package struct PresenceRow: CodedMessage, Equatable {
    package var app: UInt32 = 0
    package var userID = ""
    package var deviceID = ""
    package var platform = ""
    /// When the device came or went.
    package var changeMs: Int64 = 0
    /// When its lease ends, by the clock of the server that took the report; 0 if it is offline.
    package var endMs: Int64 = 0
    /// Since when that server knows the user.
    package var sinceMs: Int64 = 0
    /// When the account was made.
    package var createdMs: Int64 = 0
    /// The time of the report, or of its arrival if it has none.
    package var reportMs: Int64 = 0
    /// Whether the report has a time: then it does not replace a later one.
    package var isTimed = false

    package init() {}

    package static let schema = Schema("relation.store.Presence", PresenceRow.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "device_id", &deviceID)
        visitor.field(4, "platform", &platform)
        visitor.field(5, "change_ms", &changeMs)
        visitor.field(6, "end_ms", &endMs)
        visitor.field(7, "since_ms", &sinceMs)
        visitor.field(8, "created_ms", &createdMs)
        visitor.field(9, "report_ms", &reportMs)
        visitor.field(10, "is_timed", &isTimed)
    }

    var order: ReportOrder { ReportOrder(timeMs: reportMs, isOffline: endMs == 0) }

    /// The key of the device's note: the app, the length of the user's name, the name and the
    /// device.
    package var noteKey: [UInt8] {
        let user = Array(userID.utf8)
        return app.bigEndian.bytes + UInt16(user.count).bigEndian.bytes + user + deviceID.utf8
    }

    package func note() throws(CodecError) -> PeerNote {
        let value = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(PresenceRow.self).bytes(self, arena)
        }
        return PeerNote(
            key: noteKey, value: value,
            rank: NoteRank(bytes: order.bytes, replacesLater: !isTimed))
    }

    package init(_ note: PeerNote) throws(CodecError) {
        self = try Arena.temporary { (arena) throws(CodecError) in
            try Coder(PresenceRow.self).message(note.value, arena)
        }
    }
}

extension FixedWidthInteger {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }
}
