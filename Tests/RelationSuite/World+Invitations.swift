package import RelationCore
package import RelationModel
import Storage

extension World {
    /// The id of the invitation of that number.
    package static func invitation(_ number: Int) -> InvitationID {
        InvitationID(digest: [UInt8](repeating: UInt8(number), count: InvitationID.count))
    }

    /// Makes an invitation that is good for an hour, unless `edit` changes it.
    package func invite(
        _ number: Int, of owner: UserID, uses: Int32 = 1,
        _ edit: (inout InvitationRecord) -> Void = { _ in }
    ) throws(StorageError) -> FriendOutcome {
        let id = Self.invitation(number)
        var record = InvitationRecord()
        record.invitationID = id.text
        record.maxUses = uses
        record.createTimeMs = now.milliseconds
        record.expireTimeMs = now.milliseconds + 3_600_000
        edit(&record)
        return try call(by: owner) { (ledger) throws(StorageError) in
            try Invitations.create(id, record, of: owner, in: ledger)
        }
    }

    package func accept(
        _ number: Int, by user: UserID, _ edit: (inout FriendValues) -> Void = { _ in }
    ) throws(StorageError) -> FriendOutcome {
        var values = FriendValues()
        edit(&values)
        return try call(by: user) { (ledger) throws(StorageError) in
            try Invitations.accept(
                Invitations.Acceptance(Self.invitation(number), values), by: user, in: ledger
            ) { _ in }
        }
    }

    /// - Returns: Whether the invitation changed; nil if the user has none of that number.
    package func revoke(_ number: Int, of owner: UserID) throws(StorageError) -> Bool? {
        try call(by: owner) { (ledger) throws(StorageError) in
            try Invitations.revoke(Self.invitation(number), of: owner, in: ledger)?.changed
        }
    }

    package func invitations(of owner: UserID) throws(StorageError) -> [InvitationRecord] {
        try read { (transaction) throws(StorageError) in
            try Invitations.list(of: owner, at: now, app: app, in: transaction)
        }
    }

    /// Removes the invitations that ended long ago, in steps of `limit`, and returns the number of
    /// steps.
    package func removeInvitations(limit: Int = 100) throws(StorageError) -> Int {
        var steps = 0
        while true {
            let more = try commit { (transaction) throws(StorageError) in
                try InvitationExpiry.step(app, at: now, limit: limit, in: transaction)
            }
            guard more else { return steps }
            steps += 1
        }
    }
}
