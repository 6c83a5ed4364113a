package import Protobuf
package import RelationModel

/// One event of a user's log: the changes of one kind by one call, with the rows as they are after
/// it.
///
/// Its fields are those of the contract's `ChangeEvent`, one by one, without the user and the
/// sequence, which are in the event's key. So an event is sent as its stored bytes. A test compares
/// the two descriptions.
package struct ChangeRecord: CodedMessage, Equatable {
    package var kind = ChangeKind.unspecified
    package var timeMs: Int64 = 0
    /// The user whose call made the change.
    package var actorUserID = ""
    /// The device that made the call, if the call named one, so that the device can ignore its own
    /// changes.
    package var deviceID = ""
    package var requestID = ""
    package var items: [ChangeItemRecord] = []
    /// The event's position in the app's feed.
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Change", ChangeRecord.self)

    // Each event is written by these two. Left to itself, the compiler calls the generic form,
    // which looks up the metadata of thirty types for each item.
    @_specialize(where Visitor == Encoder)
    @_specialize(where Visitor == EncodedSize)
    package mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "actor_user_id", &actorUserID)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(Self.itemsNumber, "items", &items)
        visitor.field(9, "feed_position", &feedPosition)
    }

    static let itemsNumber: UInt32 = 6

    /// The encoding of the event with those encoded items, as the codec would write it.
    func encoding(with items: EncodedFields) -> EncodedFields {
        var fields = EncodedFields()
        fields.reserve(
            64 + items.bytes.count + actorUserID.utf8.count + deviceID.utf8.count
                + requestID.utf8.count)
        fields.append(1, Int64(kind.rawValue))
        fields.append(2, timeMs)
        fields.append(3, actorUserID)
        fields.append(4, deviceID)
        fields.append(5, requestID)
        fields.append(items)
        fields.append(9, feedPosition)
        return fields
    }
}

/// The position of a ``ChangeRecord`` in the feed, for readers that need nothing else of it.
package struct ChangePositionRecord: CodedMessage, Equatable {
    package var feedPosition: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.ChangePlace", ChangePositionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(9, "feed_position", &feedPosition)
    }
}
