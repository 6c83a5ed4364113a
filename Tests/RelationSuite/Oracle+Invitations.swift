import RelationCore
import RelationModel
import Storage

extension RelationStep {
    /// The row of an invitation that a step makes.
    static func invitation(
        _ number: Int, uses: Int32, preApproved: Bool, text: String, from nowMs: Int64,
        seconds: Int64
    ) -> InvitationRecord {
        var record = InvitationRecord()
        record.invitationID = World.invitation(number).text
        record.maxUses = uses
        record.preApproved = preApproved
        record.text = text
        record.createTimeMs = nowMs
        record.expireTimeMs = nowMs + seconds * 1_000
        return record
    }
}

extension World {
    /// The outcome of a step about an invitation.
    static func invitationOutcome(
        of step: RelationStep, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        switch step.action {
        case .invite(let number, let uses, let preApproved, let text, let seconds):
            let record = RelationStep.invitation(
                number, uses: uses, preApproved: preApproved, text: text,
                from: ledger.now.milliseconds, seconds: seconds)
            return try Invitations.create(
                World.invitation(number), record, of: step.actor, in: ledger)
        case .accept(let number, let item):
            let wish = Invitations.Acceptance(World.invitation(number), item.addition.values)
            return try Invitations.accept(wish, by: step.actor, in: ledger) { _ in }
        case .revoke(let number):
            let found = try Invitations.revoke(
                World.invitation(number), of: step.actor, in: ledger)
            guard let found else {
                return FriendOutcome(.invalidParameter, Reason.InvitationAccept.notFound)
            }
            return .done(changing: found.changed)
        default: preconditionFailure("the step is about no invitation")
        }
    }
}

extension Oracle {
    mutating func takeInvitation(
        _ step: RelationStep, _ nowMs: Int64, day: Int64
    ) -> Answer {
        switch step.action {
        case .invite(let number, let uses, let preApproved, let text, let seconds):
            let record = RelationStep.invitation(
                number, uses: uses, preApproved: preApproved, text: text, from: nowMs,
                seconds: seconds)
            return invite(record, of: step.actor, nowMs)
        case .accept(let number, let item):
            let id = World.invitation(number).text
            return accept(id, item, by: step.actor, nowMs, day: day)
        case .revoke(let number):
            return revoke(World.invitation(number).text, of: step.actor, nowMs)
        default: preconditionFailure("the step is about no invitation")
        }
    }

    private mutating func invite(
        _ record: InvitationRecord, of owner: UserID, _ nowMs: Int64
    ) -> Answer {
        if isForbidden([record.text]) { return Answer(30005) }
        var mine = view.invitations[owner] ?? [:]
        let good = mine.values.count { $0.state == .active && $0.expireTimeMs > nowMs }
        guard good < limits.invitations else {
            return Answer(30001, "Err_InvitationCreate_Num_Exceed_Threshold")
        }
        mine = mine.filter { _, row in
            let endMs = row.endTimeMs == 0 ? row.expireTimeMs : row.endTimeMs
            return endMs + Limits.endedInvitationMilliseconds > nowMs
        }
        mine[record.invitationID] = record
        view.invitations[owner] = mine
        return Answer(0)
    }

    private mutating func accept(
        _ id: String, _ item: RelationStep.Item, by user: UserID, _ nowMs: Int64, day: Int64
    ) -> Answer {
        let owner = view.invitations.first { $0.value[id] != nil }?.key
        guard let owner, var record = view.invitations[owner]?[id], record.state != .revoked else {
            return Answer(30001, "Err_InvitationAccept_Not_Exist")
        }
        guard record.expireTimeMs > nowMs else {
            return Answer(30001, "Err_InvitationAccept_Expired")
        }
        let hasUsed = invitationUsers[id]?.contains(user) ?? false
        guard record.state == .active || hasUsed else {
            return Answer(30001, "Err_InvitationAccept_Used_Up")
        }
        if isSuspended(owner, nowMs) {
            return Answer(30540, "Err_InvitationAccept_Peer_Suspended")
        }
        var meant = RelationStep.Item(owner)
        (meant.remark, meant.wording) = (item.remark, item.wording)
        (meant.source, meant.groups) = (item.source, item.groups)
        let before = view
        let (line, answer) = add(
            meant, to: user, both: true, force: record.preApproved && !hasUsed, day: day,
            nowMs: nowMs)
        // An application that is repeated has a new time, which the view does not show.
        guard !hasUsed, line == 15 || view != before else { return answer }
        invitationUsers[id, default: []].insert(user)
        record.useCount += 1
        if record.useCount >= record.maxUses {
            (record.state, record.endTimeMs) = (.usedUp, nowMs)
        }
        view.invitations[owner]?[id] = record
        return answer
    }

    private mutating func revoke(_ id: String, of owner: UserID, _ nowMs: Int64) -> Answer {
        guard var record = view.invitations[owner]?[id] else {
            return Answer(30001, "Err_InvitationAccept_Not_Exist")
        }
        let endMs = record.endTimeMs == 0 ? record.expireTimeMs : record.endTimeMs
        guard endMs + Limits.endedInvitationMilliseconds > nowMs else {
            return Answer(30001, "Err_InvitationAccept_Not_Exist")
        }
        guard record.state == .active, record.expireTimeMs > nowMs else { return Answer(0) }
        (record.state, record.endTimeMs) = (.revoked, nowMs)
        view.invitations[owner]?[id] = record
        return Answer(0)
    }
}
