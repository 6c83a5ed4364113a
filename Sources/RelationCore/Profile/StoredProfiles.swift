import Protobuf
package import RelationModel
import Storage
import Synchronization

/// Profiles of accounts, kept in this process and bounded in size.
///
/// With it, a read of profiles in use reads no row of their users. It keeps a profile, and whether
/// its user has a blacklist at all, because a viewer on that list sees less.
///
/// Its answers are exactly what the reader's own view holds, by the rules of ``CommitClock``. An
/// entry that a commit touches is forgotten before the commit can be seen.
package final class StoredProfiles: Sendable {
    /// The profile of one account.
    fileprivate struct Kept {
        let profile: StoredProfile
        /// Whether the user may have anyone on its blacklist.
        let mayBlock: Bool
    }

    package let order: CommitClock
    private let kept: Mutex<ExactEntries<Kept>>

    package init(
        bytes: Int = CoreLimits.profileBytes,
        rememberedTouches: Int = CoreLimits.rememberedTouches, order: CommitClock = CommitClock()
    ) {
        self.order = order
        kept = Mutex(
            ExactEntries(bytes: bytes, rememberedTouches: rememberedTouches, order: order))
    }

    /// How full it is.
    package var reading: CacheReading { kept.withLock { $0.reading } }

    // MARK: The committer

    /// Forgets what the transaction touches.
    ///
    /// The committer calls it before the transaction's changes can be seen.
    package func willCommit(_ touched: Touches) {
        guard !touched.profiles.isEmpty else { return }
        let number = order.begin()
        kept.withLock { $0.begin(number, touched.profiles) }
    }

    /// Ends the commit, whether it succeeded or not; the committer calls it before it answers any
    /// caller.
    package func didCommit() {
        order.end()
    }

    // MARK: Readers

    /// The read version for a view that is taken after this call.
    package func readVersion() -> ReadVersion { order.readVersion() }

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
    package func see(
        _ users: [UserID], by viewer: UserID, isAdmin: Bool, app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction,
        _ body: (Int, Seen?) throws(StorageError) -> Void
    ) throws(StorageError) {
        let kept = try profiles(of: users, app: app, at: readVersion, in: transaction)
        // The settings are long: a copy of them for each user would cost more than all else.
        let standard = app.settings.defaultVisibility
        func visibility(_ profile: StoredProfile) -> Visibility {
            profile.choice == .notSet ? standard : profile.choice
        }
        // Mostly no row has to be read to tell what the viewer is.
        let asks =
            !isAdmin
            && kept.contains { kept in
                guard let kept else { return false }
                return kept.mayBlock || visibility(kept.profile) == .friends
            }
        let viewers =
            asks
            ? try Profiles.viewers(
                of: users, choosing: kept.map { $0?.profile.choice },
                blocking: kept.map { $0?.mayBlock ?? false }, by: viewer, isAdmin: false,
                app: app, in: transaction)
            : nil
        for index in users.indices {
            guard let profile = kept[index]?.profile else {
                try body(index, nil)
                continue
            }
            let relation: ProfileViewer =
                isAdmin ? .admin : viewers?[index] ?? (users[index] == viewer ? .oneself : .other)
            let view = ProfileView(of: visibility(profile), by: relation)
            try body(index, Seen(profile: profile, view: view))
        }
    }

    private func profiles(
        of users: [UserID], app: App, at readVersion: ReadVersion,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Kept?] {
        var profiles: [Kept?] = []
        profiles.reserveCapacity(users.count)
        var missing: [Int] = []
        kept.withLock { kept in
            for (index, user) in users.enumerated() {
                let known = kept.value(of: AppUser(app: app.id, user: user), at: readVersion)
                profiles.append(known)
                if known == nil { missing.append(index) }
            }
        }
        guard !missing.isEmpty else { return profiles }
        let read = try Self.read(missing.map { users[$0] }, app: app, in: transaction)
        kept.withLock { kept in
            for (index, found) in zip(missing, read) {
                guard let found else { continue }
                let user = AppUser(app: app.id, user: users[index])
                kept.keep(found, of: user, at: readVersion, cost: found.profile.cost)
            }
        }
        // In an app that makes accounts implicitly, a user that was never named is as a new account
        // would be.
        let implied =
            app.settings.makesAccountsImplicitly ? Kept(profile: .empty, mayBlock: true) : nil
        for (index, found) in zip(missing, read) { profiles[index] = found ?? implied }
        return profiles
    }

    /// The profiles of `users`, nil for a user that is not an account.
    ///
    /// All rows are read at once and in the order of the users: rows of one user are neighbours.
    private static func read(
        _ users: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Kept?] {
        var keys = KeyList()
        keys.reserve(users.count * 2)
        for user in users {
            let name = user.text.utf8
            Tables.userRecords.add(app.id, name, OnlyKey(), to: &keys)
            Tables.profiles.add(app.id, name, OnlyKey(), to: &keys)
        }
        var found: [Kept?] = []
        found.reserveCapacity(users.count)
        var userRecord: (exists: Bool, mayBlock: Bool) = (false, false)
        var fault: StorageError?
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
                found.append(Kept(profile: profile, mayBlock: userRecord.mayBlock))
            } catch {
                fault = error
                found.append(nil)
            }
        }
        if let fault { throw fault }
        return found
    }

    // MARK: For tests

    /// The cost of the profiles that are kept.
    package var cost: Int { kept.withLock { $0.cost } }
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
