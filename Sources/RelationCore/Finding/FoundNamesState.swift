package import Protobuf
import RelationModel
import Storage

/// How far the index of names of an app has come.
package struct FoundNamesState: CodedMessage, Equatable, Sendable {
    /// The rules by which names are folded: an index of other rules is made again.
    static let currentRules: UInt32 = 2

    /// The rules by which the index is made.
    package var rules: UInt32 = 0
    /// The app's ``AppSettings/findEpoch`` under which it is made.
    package var epoch: Int64 = 0
    /// Whether it has every user.
    package var isComplete = false
    /// Whether its rows are being removed.
    package var isEnding = false
    /// While it is made: the last user that was looked at; empty before the first.
    package var lastUser = ""

    package init() {}

    /// The state of an index of an app that has no row yet.
    fileprivate init(for settings: AppSettings) {
        rules = Self.currentRules
        epoch = settings.findEpoch
    }

    package static let schema = Schema("relation.store.FoundNamesState", FoundNamesState.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "rules", &rules)
        visitor.field(2, "epoch", &epoch)
        visitor.field(3, "is_complete", &isComplete)
        visitor.field(4, "is_ending", &isEnding)
        visitor.field(5, "last_user", &lastUser)
    }

    /// Whether the app of `settings` wants this index.
    fileprivate func fits(_ settings: AppSettings) -> Bool {
        settings.findsUsers && !isEnding && epoch == settings.findEpoch
            && rules == Self.currentRules
    }
}

extension FoundNames {
    /// Whether the index of names has every user that it should have.
    package static func isComplete(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard let state = try state(of: app, in: transaction) else { return false }
        return state.isComplete && state.fits(app.settings)
    }

    /// Notes of a new app that its index is complete, if it wants one: it has no users yet.
    static func begin(_ app: App, in transaction: any WriteTransaction) throws(StorageError) {
        guard app.settings.findsUsers else { return }
        var state = FoundNamesState(for: app.settings)
        state.isComplete = true
        try write(state, of: app, in: transaction)
    }

    /// Makes or removes the next rows of the index, as the settings of the app want it.
    ///
    /// Writes keep the rows of their users from the moment on in which the app lets users be
    /// found. So the walk through the accounts may go on while they write.
    ///
    /// - Returns: Whether there may be more to do.
    static func step(
        _ app: App, at now: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) -> Bool {
        guard var state = try state(of: app, in: transaction) else {
            guard app.settings.findsUsers else { return false }
            try write(FoundNamesState(for: app.settings), of: app, in: transaction)
            return true
        }
        if state.fits(app.settings) {
            guard !state.isComplete else { return false }
            try addNext(to: &state, of: app, at: now, in: transaction)
            try write(state, of: app, in: transaction)
            return true
        }
        let limit = Limits.rowsPerMaintenanceStep
        let rows = Tables.foundNames.all(of: app.foundNames)
        guard try transaction.removeRows(of: rows, limit: limit) == limit else {
            Tables.foundNamesStates.remove(app.foundNames, OnlyKey(), in: transaction)
            return true
        }
        // A walk that has begun is over, even if the app wants the index again meanwhile.
        guard !state.isEnding else { return true }
        state.isEnding = true
        try write(state, of: app, in: transaction)
        return true
    }

    /// Adds the rows of the next accounts.
    private static func addNext(
        to state: inout FoundNamesState, of app: App, at now: Timestamp,
        in transaction: any WriteTransaction
    ) throws(StorageError) {
        let limit = Limits.rowsPerMaintenanceStep / Limits.foundNamesPerUser
        let last = state.lastUser.isEmpty ? nil : UserID(stored: state.lastUser)
        let users = try Directory.page(of: app, after: last, limit: limit, in: transaction)
        for (user, found) in zip(users, try owners(users, app: app, in: transaction)) {
            guard let found else { continue }
            for row in rows(of: user, found.userRecord, found.profile, app.settings) {
                try Tables.foundNames.set(
                    EmptyRecord(), at: app.foundNames, row, in: transaction)
            }
        }
        state.lastUser = users.last?.text ?? state.lastUser
        guard users.count < limit else { return }
        state.isComplete = true
        state.lastUser = ""
    }

    /// An account that may be in the index.
    struct Owner {
        let userRecord: UserRecord
        let profile: ProfileRecord
        /// Whether it has the viewer on its blacklist.
        let isClosed: Bool
    }

    /// The records of `users`; nil for a user that is not an account.
    ///
    /// - Parameter viewer: The user for whom the blacklists are read; nil for none.
    static func owners(
        _ users: [UserID], for viewer: UserID? = nil, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Owner?] {
        guard !users.isEmpty else { return [] }
        var (records, profiles, blacklists) = (KeyList(), KeyList(), KeyList())
        for user in users {
            let partition = app.partition(of: user)
            Tables.userRecords.add(partition, OnlyKey(), to: &records)
            Tables.profiles.add(partition, OnlyKey(), to: &profiles)
            if let viewer { Tables.blacklist.add(partition, viewer, to: &blacklists) }
        }
        if transaction.readsAhead {
            var all = KeyList()
            for user in users {
                let partition = app.partition(of: user)
                Tables.userRecords.add(partition, OnlyKey(), to: &all)
                Tables.profiles.add(partition, OnlyKey(), to: &all)
                if let viewer { Tables.blacklist.add(partition, viewer, to: &all) }
            }
            transaction.expect(all)
        }
        let userRecords = try Tables.userRecords.records(records, in: transaction)
        let profileRecords = try Tables.profiles.records(profiles, in: transaction)
        let areClosed = try viewer.map { (_) throws(StorageError) in
            try blacklists.found(in: transaction)
        }
        return users.indices.map { index in
            guard let userRecord = userRecords[index] else { return nil }
            return Owner(
                userRecord: userRecord, profile: profileRecords[index] ?? ProfileRecord(),
                isClosed: areClosed?[index] ?? false)
        }
    }

    private static func state(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FoundNamesState? {
        try Tables.foundNamesStates.record(app.foundNames, OnlyKey(), in: transaction)
    }

    private static func write(
        _ state: FoundNamesState, of app: App, in transaction: any WriteTransaction
    ) throws(StorageError) {
        try Tables.foundNamesStates.set(state, at: app.foundNames, OnlyKey(), in: transaction)
    }
}
