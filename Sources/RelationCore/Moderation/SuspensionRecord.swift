package import Protobuf
package import RelationModel

/// The suspension of a user.
///
/// Its fields are those of the contract's `Suspension`, one by one, but for the user. An event
/// holds it without the text for moderators, and with no level if it was taken back.
package struct SuspensionRecord: CodedMessage, Equatable {
    package var level = SuspensionLevel.unspecified
    package var reasonText = ""
    package var startTimeMs: Int64 = 0
    /// 0 if it does not end by itself.
    package var endTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Suspension", SuspensionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "level", &level)
        visitor.field(3, "reason_text", &reasonText)
        visitor.field(4, "start_time_ms", &startTimeMs)
        visitor.field(5, "end_time_ms", &endTimeMs)
    }

    /// Whether it counts at that time.
    package func isActive(at now: Timestamp) -> Bool {
        endTimeMs == 0 || endTimeMs > now.milliseconds
    }
}

/// The facts about the suspensions of an app as a whole.
package struct SuspensionsRecord: CodedMessage, Equatable {
    /// The rows of suspensions, those included that ended and were not removed yet.
    package var count: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Suspensions", SuspensionsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "count", &count)
    }
}

extension UserRecord {
    /// How much the user's suspension forbids at that time.
    package func suspension(at now: Timestamp) -> SuspensionLevel {
        guard suspensionLevel != .unspecified,
            suspensionEndMs == 0 || suspensionEndMs > now.milliseconds
        else { return .unspecified }
        return suspensionLevel
    }

    /// Whether at that time the user may not write, and no user adds or follows it.
    package func isSuspended(at now: Timestamp) -> Bool {
        suspension(at: now).forbids(.write)
    }
}

extension SuspensionLevel {
    /// Whether the level forbids calls of that kind.
    package func forbids(_ action: SuspendedAction) -> Bool {
        switch action {
        case .free: false
        case .write: self != .unspecified && self != .limited
        case .text, .reach: self != .unspecified
        }
    }
}
