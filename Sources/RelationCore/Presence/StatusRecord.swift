package import Protobuf
package import RelationModel

/// The custom status of a user.
///
/// Its fields are those of the contract's `Presence` about the status, one by one: an event holds
/// it in the place of a presence.
package struct StatusRecord: CodedMessage, Equatable {
    /// The text; empty in the event that the status was cleared.
    package var text = ""
    /// From this time on it has ended; 0 if it holds until it is changed.
    package var expireTimeMs: Int64 = 0

    package init() {}

    package init(_ text: String, until expireTimeMs: Int64) {
        self.text = text
        self.expireTimeMs = expireTimeMs
    }

    package static let schema = Schema("relation.store.Status", StatusRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(4, "status_text", &text)
        visitor.field(5, "status_expire_time_ms", &expireTimeMs)
    }

    /// Whether it holds at that time.
    package func isActive(at now: Timestamp) -> Bool {
        expireTimeMs == 0 || expireTimeMs > now.milliseconds
    }
}
