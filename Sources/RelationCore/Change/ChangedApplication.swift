package import Protobuf
package import RelationModel

/// The part of an event about an application: one side's record, and the status of the application.
///
/// Its fields are those of the contract's `FriendApplication`, one by one, without the other user's
/// nick and face URL, which are not part of the change.
package struct ChangedApplication: CodedMessage, Equatable {
    package var userID = ""
    package var applicationID = ""
    package var pendencyType = PendencyType.unspecified
    /// How the application ended, or ``ApplicationStatus/unhandled`` while it waits.
    ///
    /// It is always set, because the stored event is sent as it is, and a zero says that it waits.
    package var status: ApplicationStatus? = .unhandled
    package var addTimeMs: Int64 = 0
    /// The time of the end or, while the application waits, that of its making.
    package var operationTimeMs: Int64 = 0
    package var source = ""
    package var wording = ""

    package init() {}

    /// Leaves out the applicant's notes for itself: no other user may read them.
    ///
    /// - Parameter endMs: The time at which the application ended; nil if it still waits.
    package init(
        _ record: PendencyRecord, _ type: PendencyType, _ status: ApplicationStatus = .unhandled,
        endMs: Int64? = nil
    ) {
        userID = record.userID
        applicationID = record.applicationID
        pendencyType = type
        self.status = status
        addTimeMs = record.timeMs
        operationTimeMs = endMs ?? record.timeMs
        source = record.source
        wording = record.wording
    }

    package static let schema = Schema(
        "relation.store.ChangedApplication", ChangedApplication.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application_id", &applicationID)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "status", &status)
        visitor.field(5, "add_time_ms", &addTimeMs)
        visitor.field(6, "operation_time_ms", &operationTimeMs)
        visitor.field(7, "source", &source)
        visitor.field(8, "wording", &wording)
    }
}
