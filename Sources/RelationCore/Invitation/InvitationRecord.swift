package import Protobuf
package import RelationModel

/// An invitation, in its inviter's list.
///
/// Its fields are those of the contract's `Invitation`, one by one. That it has expired follows
/// from the time, and is not stored.
package struct InvitationRecord: CodedMessage, Equatable {
    package var invitationID = ""
    /// ``InvitationState/active``, ``InvitationState/revoked`` or ``InvitationState/usedUp``.
    package var state = InvitationState.active
    package var maxUses: Int32 = 0
    package var useCount: Int32 = 0
    package var text = ""
    package var preApproved = false
    package var createTimeMs: Int64 = 0
    package var expireTimeMs: Int64 = 0
    /// When it was revoked or used up; 0 if neither.
    package var endTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Invitation", InvitationRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "invitation_id", &invitationID)
        visitor.field(2, "state", &state)
        visitor.field(3, "max_uses", &maxUses)
        visitor.field(4, "use_count", &useCount)
        visitor.field(5, "text", &text)
        visitor.field(6, "pre_approved", &preApproved)
        visitor.field(7, "create_time_ms", &createTimeMs)
        visitor.field(8, "expire_time_ms", &expireTimeMs)
        visitor.field(9, "end_time_ms", &endTimeMs)
    }
}

extension InvitationRecord {
    /// The record as a call shows it at `now`.
    package func current(at now: Timestamp) -> InvitationRecord {
        guard state == .active, expireTimeMs <= now.milliseconds else { return self }
        var record = self
        record.state = .expired
        record.endTimeMs = expireTimeMs
        return record
    }

    /// From this time on no call shows it.
    var goneMs: Int64 {
        (endTimeMs == 0 ? expireTimeMs : endTimeMs) + Limits.endedInvitationMilliseconds
    }

    /// Whether no call shows it any more at `now`.
    package func isGone(at now: Timestamp) -> Bool { goneMs <= now.milliseconds }
}

/// The user that made an invitation.
package struct InvitationOwnerRecord: CodedMessage, Equatable {
    package var userID = ""

    package init() {}

    package static let schema = Schema(
        "relation.store.InvitationOwner", InvitationOwnerRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
    }
}
