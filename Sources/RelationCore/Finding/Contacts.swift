package import RelationModel
import Storage

/// Rules over the digests of users' phone numbers and mail addresses.
///
/// A user has one row with its digests, and the app has one for each digest with the users that
/// have it. So a search reads one row for each digest that it asks for.
package enum Contacts {
    /// Sets the digests of a kind of `user`, in place of those that it had.
    ///
    /// - Returns: ``FriendStatus/success``, or ``FriendStatus/invalidParameter`` if as many other
    ///   users have one of them as may have it.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func set(
        _ digests: [[UInt8]], of kind: ContactKind, for user: UserID, in ledger: Ledger
    ) throws(StorageError) -> FriendOutcome {
        let old = try record(of: user, app: ledger.app, in: ledger.transaction)
        var new = old
        new.set(digests, of: kind)
        guard old != new else { return .unchanged }
        let (had, has) = (Set(old.all), Set(new.all))
        try fetch(old.all.filter { !has.contains($0) }, in: ledger)
        let added = new.all.filter { !had.contains($0) }
        for digest in added {
            guard try hasRoom(digest, for: user, in: ledger) else {
                return Outcome(.invalidParameter, Reason.ContactSet.digestFull)
            }
        }
        for digest in old.all where !has.contains(digest) {
            try remove(user, from: digest, in: ledger)
        }
        for digest in added { try add(user, to: digest, in: ledger) }
        try write(new, of: user, in: ledger)
        return .success
    }

    /// The users that a search has found.
    package struct Found {
        package var outcome = FriendOutcome.success
        package var contacts: [(digest: [UInt8], user: UserID)] = []
        package var leftNow = 0
    }

    /// Looks for the users with these digests, and counts the digests against the limit of
    /// `viewer` for this window.
    ///
    /// - Parameter isAdmin: Whether it finds users that are not to be found, too.
    /// - Throws: ``StorageError`` if the store failed; nothing has then been written.
    package static func find(
        _ digests: [[UInt8]], of kind: ContactKind, for viewer: UserID, isAdmin: Bool,
        in ledger: Ledger
    ) throws(StorageError) -> Found {
        var found = Found()
        let limit = ledger.limits.contactLookups
        let record = try ledger.userRecord(of: viewer) ?? UserRecord()
        let used = record.contactsAsked(at: ledger.now, ledger.settings)
        guard used + digests.count <= limit else {
            found.outcome = Outcome(.invalidParameter, Reason.ContactFind.limit)
            found.leftNow = max(0, limit - used)
            return found
        }
        found.leftNow = limit - used - digests.count
        let window = ledger.now.window(ofMs: ledger.settings.contactLookupsWindowMs)
        try ledger.changeUserRecord(of: viewer) { record in
            record.contactDay = window
            record.contactsToday = UInt32(used + digests.count)
        }
        var keys = KeyList()
        var candidates: [(digest: [UInt8], user: UserID)] = []
        for digest in digests {
            let key = ContactDigest(kind, digest)
            for user in try owners(of: key, app: ledger.app, in: ledger.transaction)
            where user != viewer {
                candidates.append((digest, user))
                let partition = ledger.partition(of: user)
                Tables.userRecords.add(partition, OnlyKey(), to: &keys)
                Tables.blacklist.add(partition, viewer, to: &keys)
            }
        }
        try ledger.fetch(keys)
        let way: FindWay = kind == .phone ? .phone : .email
        for candidate in candidates {
            guard let record = try ledger.userRecord(of: candidate.user) else { continue }
            if !isAdmin {
                guard record.canBeFound(by: way, at: ledger.now, ledger.settings),
                    try !Blacklist.contains(
                        viewer, of: candidate.user, app: ledger.app, in: ledger.transaction)
                else { continue }
            }
            found.contacts.append(candidate)
        }
        return found
    }

    // MARK: Reading

    /// The digests of `user`.
    package static func record(
        of user: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> ContactDigestsRecord {
        try Tables.contactDigests.record(app.partition(of: user), OnlyKey(), in: transaction)
            ?? ContactDigestsRecord()
    }

    /// The users that have `digest`.
    package static func owners(
        of digest: ContactDigest, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let record = try Tables.contactOwners.record(app.contacts, digest, in: transaction)
        return record?.userIDs.map { UserID(stored: $0) } ?? []
    }

    // MARK: Rows

    /// Writes the digests of an import, but for those that enough others have.
    static func restore(
        _ digests: ContactDigestsRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        try fetch(digests.all, in: ledger)
        var kept = ContactDigestsRecord()
        for digest in digests.all where try hasRoom(digest, for: user, in: ledger) {
            try add(user, to: digest, in: ledger)
            if digest.kind == .phone {
                kept.phones.append(digest.bytes)
            } else {
                kept.emails.append(digest.bytes)
            }
        }
        try write(kept, of: user, in: ledger)
    }

    /// Whether `user` may have `digest`: it has it, or fewer others have it than may.
    ///
    /// Users whose accounts are being deleted do not count.
    private static func hasRoom(
        _ digest: ContactDigest, for user: UserID, in ledger: Ledger
    ) throws(StorageError) -> Bool {
        let owners = try owners(of: digest, app: ledger.app, in: ledger.transaction)
        guard !owners.contains(user), owners.count >= Limits.contactOwners else { return true }
        return try accounts(among: owners, in: ledger).count < Limits.contactOwners
    }

    /// The users among `owners` that are still accounts: a deletion takes digests in its steps.
    private static func accounts(
        among owners: [UserID], in ledger: Ledger
    ) throws(StorageError) -> [UserID] {
        var keys = KeyList()
        Accounts.userRecords(of: owners, app: ledger.app, into: &keys)
        try ledger.fetch(keys)
        var accounts: [UserID] = []
        for owner in owners where try ledger.userRecord(of: owner) != nil { accounts.append(owner) }
        return accounts
    }

    /// Removes the digests of `user`.
    static func removeAll(of user: UserID, in ledger: Ledger) throws(StorageError) {
        let digests = try record(of: user, app: ledger.app, in: ledger.transaction).all
        try fetch(digests, in: ledger)
        for digest in digests { try remove(user, from: digest, in: ledger) }
        try write(ContactDigestsRecord(), of: user, in: ledger)
    }

    /// Notes that `user` has `digest`.
    ///
    /// Of as many users as may have it, those whose accounts are being deleted lose it now, so that
    /// the row stays short.
    static func add(
        _ user: UserID, to digest: ContactDigest, in ledger: Ledger
    ) throws(StorageError) {
        var owners = try owners(of: digest, app: ledger.app, in: ledger.transaction)
        guard !owners.contains(user) else { return }
        if owners.count >= Limits.contactOwners {
            owners = try accounts(among: owners, in: ledger)
        }
        try write((owners + [user]).sorted(), of: digest, in: ledger)
    }

    /// Notes that `user` has `digest` no more.
    static func remove(
        _ user: UserID, from digest: ContactDigest, in ledger: Ledger
    ) throws(StorageError) {
        let owners = try owners(of: digest, app: ledger.app, in: ledger.transaction)
        guard owners.contains(user) else { return }
        try write(owners.filter { $0 != user }, of: digest, in: ledger)
    }

    private static func write(
        _ owners: [UserID], of digest: ContactDigest, in ledger: Ledger
    ) throws(StorageError) {
        let (partition, transaction) = (ledger.app.contacts, ledger.transaction)
        guard !owners.isEmpty else {
            return Tables.contactOwners.remove(partition, digest, in: transaction)
        }
        var record = ContactOwnersRecord()
        record.userIDs = owners.map(\.text)
        try Tables.contactOwners.set(record, at: partition, digest, in: transaction)
    }

    private static func write(
        _ digests: ContactDigestsRecord, of user: UserID, in ledger: Ledger
    ) throws(StorageError) {
        let (partition, transaction) = (ledger.partition(of: user), ledger.transaction)
        guard !digests.isEmpty else {
            return Tables.contactDigests.remove(partition, OnlyKey(), in: transaction)
        }
        try Tables.contactDigests.set(digests, at: partition, OnlyKey(), in: transaction)
    }

    // MARK: Keys

    private static func fetch(
        _ digests: [ContactDigest], in ledger: Ledger
    ) throws(StorageError) {
        guard !digests.isEmpty else { return }
        var keys = KeyList()
        for digest in digests { Tables.contactOwners.add(ledger.app.contacts, digest, to: &keys) }
        try ledger.fetch(keys)
    }

    /// Adds the rows that setting the digests of `user` reads.
    package static func keysForSetting(
        _ digests: [[UInt8]], of kind: ContactKind, for user: UserID, app: App,
        into keys: inout KeyList
    ) {
        Tables.contactDigests.add(app.partition(of: user), OnlyKey(), to: &keys)
        keysForFinding(digests, of: kind, app: app, into: &keys)
    }

    /// Adds the rows that a search for the digests reads first.
    package static func keysForFinding(
        _ digests: [[UInt8]], of kind: ContactKind, app: App, into keys: inout KeyList
    ) {
        for digest in digests {
            Tables.contactOwners.add(app.contacts, ContactDigest(kind, digest), to: &keys)
        }
    }
}
