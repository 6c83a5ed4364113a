import RelationModel
import Storage

extension Applications {
    /// Whether a list of either side has the application from `applicant` to `asked`, expired or
    /// not.
    static func hasRecord(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let keysOfBothSides = Self.keysOfBothSides(from: applicant, to: asked, in: ledger)
        var keys = KeyList()
        for (partition, key) in keysOfBothSides { Tables.pendencies.add(partition, key, to: &keys) }
        try ledger.fetch(keys)
        for (partition, key) in keysOfBothSides {
            let isThere = try Tables.pendencies.contains(partition, key, in: ledger.transaction)
            if isThere { return true }
        }
        return false
    }

    /// Puts another wording into the records of the application from `applicant` to `asked`, and
    /// into those of applications that have ended, where they have the wording `text`.
    ///
    /// It notifies the owner of each record of an application that waits. Its time stays, so it
    /// does not become unread.
    static func replaceWording(
        _ text: String, by former: String, from applicant: UserID, to asked: UserID,
        in ledger: Ledger
    ) throws(StorageError) {
        let sides = [(applicant, PendencyType.sendOut, asked), (asked, .comeIn, applicant)]
        for (owner, type, other) in sides {
            try replaceWording(text, by: former, type, with: other, of: owner, in: ledger)
        }
    }

    private static func replaceWording(
        _ text: String, by former: String, _ type: PendencyType, with other: UserID,
        of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        // The rows of an account that is being deleted go anyway.
        guard try ledger.userRecord(of: owner) != nil else { return }
        try ApplicationHistory.replaceWording(
            text, by: former, type, with: other, of: owner, in: ledger)
        let (partition, key) = (ledger.partition(of: owner), PendencyKey(type, other))
        let old = try Tables.pendencies.record(partition, key, in: ledger.transaction)
        guard var record = old, record.wording.isExactly(text) else { return }
        record.wording = former
        try Tables.pendencies.set(record, at: partition, key, in: ledger.transaction)
        try notify(owner, .addFriendRequest, ChangedApplication(record, type), in: ledger)
    }

    private static func keysOfBothSides(
        from applicant: UserID, to asked: UserID, in ledger: Ledger
    ) -> [(Partition, PendencyKey)] {
        [
            (ledger.partition(of: applicant), PendencyKey(.sendOut, asked)),
            (ledger.partition(of: asked), PendencyKey(.comeIn, applicant)),
        ]
    }
}

extension ApplicationHistory {
    /// Puts another wording into the records of applications that have ended, where they have the
    /// wording `text`.
    fileprivate static func replaceWording(
        _ text: String, by former: String, _ type: PendencyType, with other: UserID,
        of owner: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let table = Tables.handledApplications
        let partition = ledger.partition(of: owner)
        var found: [(HandledKey, PendencyRecord)] = []
        try table.scan(table.all(of: partition), limit: .max, in: ledger.transaction) {
            key, bytes in
            guard key.type == type, key.user == other,
                var record = table.decode(bytes, in: ledger.transaction.arena),
                record.wording.isExactly(text)
            else { return .more }
            record.wording = former
            found.append((key, record))
            return .more
        }
        for (key, record) in found {
            try table.set(record, at: partition, key, in: ledger.transaction)
        }
    }
}
