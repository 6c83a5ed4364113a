import RelationCore
import RelationModel
import Storage

extension Audit {
    /// Checks the user's invitations: each row with its counts and its end, the notes of those that
    /// the user has used, and what the log has of them.
    mutating func checkInvitations(
        _ user: UserID, _ userRecord: UserRecord
    ) throws(StorageError) {
        for (id, record) in try world.rows(of: Tables.invitations, of: user) {
            expectSame(record.invitationID, id.text, user, "the id of an invitation")
            expect(
                (0...record.maxUses).contains(record.useCount), user,
                "\(record.useCount) users of \(record.maxUses) use an invitation")
            let isFull = record.useCount == record.maxUses
            expect(
                record.state == .usedUp ? isFull : !isFull, user,
                "an invitation in state \(record.state) has \(record.useCount) uses")
            expectSame(record.state == .active, record.endTimeMs == 0, user, "whether it is good")
            let goneMs =
                (record.endTimeMs == 0 ? record.expireTimeMs : record.endTimeMs)
                + Limits.endedInvitationMilliseconds
            expect(
                (1...goneMs).contains(userRecord.nextInvitationEndMs), user,
                "looks for the end of an invitation too late")
        }
        expectSame(
            Int(userRecord.invitationUseCount),
            try world.rows(of: Tables.invitationUses, of: user).count, user,
            "the count of invitations used")
        let last = try world.log(of: user).last { $0.1.kind == .invitationChanged }
        expectLast(
            last?.sequence, userRecord.invitationsSequence, userRecord, user, "invitations")
    }

    /// Compares the ids of invitations, and the index of their ends, with the users' own rows.
    mutating func checkInvitationIDs() throws(StorageError) {
        var wanted: [String: String] = [:]
        var ends: Set<String> = []
        for user in users {
            guard let userRecord = try world.userRecord(of: user) else { continue }
            for row in try world.rows(of: Tables.invitations, of: user) {
                wanted[row.key.text] = user.text
            }
            if userRecord.nextInvitationEndMs != 0 {
                ends.insert("\(userRecord.nextInvitationEndMs) \(user)")
            }
        }
        var found: [String: String] = [:]
        for row in try world.rows(of: Tables.invitationIDs, in: world.app.invitationIDs) {
            let owner = UserID(stored: row.record.userID.utf8)
            // A deletion takes the invitations of its user in steps.
            if try world.userRecord(of: owner) != nil { found[row.key.text] = owner.text }
        }
        if found != wanted { note("invitations are of \(found) instead of \(wanted)") }
        let index = try world.rows(of: Tables.invitationEnds, in: world.app.invitationEnds)
            .map { "\($0.key.timeMs) \($0.key.user)" }
        if Set(index) != ends { note("invitations end at \(index) instead of \(ends)") }
    }
}
