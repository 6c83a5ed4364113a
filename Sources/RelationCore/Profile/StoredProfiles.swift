import Protobuf
package import RelationModel
import Storage

/// Profiles of accounts: a use of ``VersionedCache``.
///
/// With it, a read of profiles in use reads no row of their users. It keeps a profile, and whether
/// its user has a blacklist at all, because a viewer on that list sees less.
package final class StoredProfiles: CachePart {
    /// The profile of one account.
    fileprivate struct Entry: CachedValue {
        let profile: StoredProfile
        /// Whether the user may have anyone on its blacklist.
        let mayBlock: Bool

        var cost: Int { profile.cost }
    }

    package let clock: CommitClock
    private let entries: VersionedCache<Entry>

    package init(
        bytes: Int = CoreLimits.profileBytes,
        invalidationSlots: Int = CoreLimits.invalidationSlots, clock: CommitClock = CommitClock()
    ) {
        self.clock = clock
        entries = VersionedCache(bytes: bytes, invalidationSlots: invalidationSlots, clock: clock)
    }

    package var readings: [(name: String, reading: CacheReading)] {
        [("profiles", entries.reading)]
    }

    // MARK: The committer

    package func willCommit(_ version: UInt64, of transaction: WatchedTransaction) {
        entries.invalidate(transaction.touched.profiles, in: version)
    }

    package func didCommit(_ succeeded: Bool) { entries.didCommit(succeeded) }

    // MARK: Readers

    /// One profile, with the viewer's view of it.
    package struct Seen {
        package let profile: StoredProfile
        package let view: ProfileView
    }

    /// Calls `body` with the index of each of `users`, and with its profile as `viewer` may see it,
    /// in their order; nil for a user that is not an account.
    ///
    /// - Parameters:
    ///   - isAdmin: Whether the viewer's credential has the scope `admin`.
    ///   - readVersion: The read version that was taken before the transaction's view.
    package func readVisible(
        _ users: [UserID], by viewer: UserID, isAdmin: Bool, app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction,
        _ body: (Int, Seen?) throws(StorageError) -> Void
    ) throws(StorageError) {
        let entries = try profiles(of: users, app: app, at: readVersion, in: transaction)
        // The settings are long: a copy of them for each user would cost more than all else.
        let standard = app.settings.defaultVisibility
        func visibility(_ profile: StoredProfile) -> Visibility {
            profile.choice == .notSet ? standard : profile.choice
        }
        let rules = isAdmin ? nil : rules(of: entries, app)
        // Mostly no row has to be read to tell what the viewer is.
        let asks =
            !isAdmin
            && (rules?.contains { $0?.dependsOnViewer ?? false } ?? false
                || entries.contains { entry in
                    guard let entry else { return false }
                    return entry.mayBlock || visibility(entry.profile).dependsOnViewer
                })
        let viewers =
            asks
            ? try Profiles.viewers(
                of: users, choosing: entries.map { $0?.profile.choice }, ruled: rules,
                blocking: entries.map { $0?.mayBlock ?? false }, by: viewer, isAdmin: false,
                app: app, in: transaction)
            : nil
        for index in users.indices {
            guard let profile = entries[index]?.profile else {
                try body(index, nil)
                continue
            }
            let relation: ProfileViewer =
                isAdmin
                ? .admin
                : viewers?[index].viewer ?? (users[index] == viewer ? .oneself : .other)
            let view =
                rules == nil
                ? ProfileView(of: visibility(profile), by: relation)
                : ProfileView(
                    of: visibility(profile), by: relation, rules?[index],
                    viewers?[index].relations ?? ViewerRelations())
            try body(index, Seen(profile: profile, view: view))
        }
    }

    /// The rules of the fields of each profile; nil if no profile has any, as mostly.
    private func rules(of entries: [Entry?], _ app: App) -> [FieldRules?]? {
        let hasDefaults = !app.settings.fieldDefaults.choices.isEmpty
        let mayRule = { (entry: Entry?) in !(entry?.profile.fieldChoices.isEmpty ?? true) }
        guard hasDefaults || entries.contains(where: mayRule) else { return nil }
        let defaults = app.settings.fieldDefaults
        return entries.map { entry in
            entry.flatMap {
                FieldRules($0.profile.fieldChoices, whole: $0.profile.choice, defaults)
            }
        }
    }

    private func profiles(
        of users: [UserID], app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Entry?] {
        let profiles = try entries.values(of: users, in: app.id, at: readVersion) {
            (missing) throws(StorageError) in
            try Self.read(missing, app: app, in: transaction)
        }
        guard app.settings.makesAccountsImplicitly, profiles.contains(where: { $0 == nil }) else {
            return profiles
        }
        // A user that was never named is as a new account would be.
        return profiles.map { $0 ?? Entry(profile: .empty, mayBlock: true) }
    }

    /// The profiles of `users`, nil for a user that is not an account.
    ///
    /// All rows are read at once and in the order of the users: rows of one user are neighbours.
    private static func read(
        _ users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Entry?] {
        var keys = KeyList()
        keys.reserve(users.count * 2)
        for user in users {
            let name = user.text.utf8
            Tables.userRecords.add(app.id, name, OnlyKey(), to: &keys)
            Tables.profiles.add(app.id, name, OnlyKey(), to: &keys)
        }
        var found: [Entry?] = []
        found.reserveCapacity(users.count)
        var userRecord: (exists: Bool, mayBlock: Bool) = (false, false)
        var failure: StorageError?
        try transaction.read(keys) { number, bytes in
            guard number % 2 == 1 else {
                userRecord = (bytes != nil, bytes.map(UserRecord.mayBlock) ?? false)
                return
            }
            guard userRecord.exists else { return found.append(nil) }
            do throws(StorageError) {
                var profile = StoredProfile.empty
                if let bytes {
                    guard let record = Tables.profiles.decode(bytes, in: transaction.arena) else {
                        throw StorageError(.corrupted, "a profile does not decode")
                    }
                    profile = try StoredProfile(record, transaction.arena)
                }
                found.append(Entry(profile: profile, mayBlock: userRecord.mayBlock))
            } catch {
                failure = error
                found.append(nil)
            }
        }
        if let failure { throw failure }
        return found
    }
}

extension UserRecord {
    /// Whether the blacklist of the user with this encoded user record may have a row; only the one
    /// field is looked at.
    fileprivate static func mayBlock(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var walk = FieldWalk(bytes)
        do throws(CodecError) {
            while let field = try walk.next() {
                if field.number == blacklistCountNumber, case .varint(let count) = field.value {
                    return count > 0
                }
            }
            return false
        } catch {
            return true
        }
    }
}
