package import RelationCore
package import RelationModel
package import Storage

/// One app with users, over any engine, at a time that the test sets: the setting for tests of the
/// rules.
///
/// Every verb is one call: a transaction, a ledger, and the user records and events at its end.
package final class World {
    package let store: any Store
    package var app: App
    /// The caches that a server's committer has beside its store.
    package let memory: ReadCache
    /// Receives every event that a call made.
    package var didCommit: ([EventRow]) -> Void = { _ in }
    /// The outcomes of the items of the latest step of a history.
    package var outcomes: [StepOutcome] = []
    /// The moment of the next call.
    ///
    /// It does not move unless a test moves it.
    package var now = Timestamp(milliseconds: World.start)

    /// 2024-03-01 10:00 UTC.
    package static let start: Int64 = 1_709_287_200_000

    /// - Parameters:
    ///   - users: Accounts that exist from the beginning.
    ///   - names: The names that it keeps; at most one of these four may be given.
    package init(
        _ users: UserID..., on store: any Store = MemoryStore(), settings: AppSettings = .tim,
        names: NameCache? = nil, profiles: StoredProfiles? = nil,
        friends: StoredFriends? = nil, adjacency: AdjacencyCache? = nil
    ) throws(StorageError) {
        self.store = store
        let clock =
            names?.clock ?? profiles?.clock ?? friends?.clock ?? adjacency?.clock ?? CommitClock()
        memory = ReadCache(
            names: names ?? NameCache(clock: clock),
            profiles: profiles ?? StoredProfiles(clock: clock),
            friends: friends ?? StoredFriends(clock: clock),
            adjacency: adjacency ?? AdjacencyCache(clock: clock))
        app = App(id: 7, settings: settings)
        try create(users)
    }

    package var names: NameCache { memory.names }
    package var profiles: StoredProfiles { memory.profiles }
    package var adjacency: AdjacencyCache { memory.adjacency }

    package var settings: AppSettings {
        get { app.settings }
        set { app.settings = newValue }
    }

    package func advance(milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
    }

    // MARK: Calls

    /// Runs `body` as one call of `actor`.
    package func call<Result>(
        by actor: UserID?, device: String = "", requestID: String = "",
        source: CallSource? = nil,
        _ body: (Ledger) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let origin = Origin(
            user: actor, deviceID: device, requestID: requestID, source: source)
        return try commit { (transaction) throws(StorageError) in
            let ledger = Ledger(app: app, now: now, origin: origin, transaction: transaction)
            let result = try body(ledger)
            try ledger.close()
            return result
        }
    }

    /// Runs `body` in one transaction, and tells the caches of it as a committer does.
    package func commit<Result>(
        _ body: (WatchedTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var succeeded = false
        defer {
            memory.didCommit(succeeded)
        }
        var events: [EventRow] = []
        let result = try store.write(touching: []) { (transaction) throws(StorageError) in
            let watched = WatchedTransaction(transaction)
            let result = try body(watched)
            memory.willCommit(watched)
            events = watched.events
            return result
        }
        succeeded = true
        didCommit(events)
        return result
    }

    package func create(_ users: [UserID]) throws(StorageError) {
        try call(by: nil) { (ledger) throws(StorageError) in
            for user in users { _ = try Accounts.create(user, nick: "", faceURL: "", in: ledger) }
        }
    }

    package func add(
        _ user: UserID, to owner: UserID, _ type: AddType = .both, force: Bool = false,
        _ edit: (inout FriendValues) -> Void = { _ in }
    ) throws(StorageError) -> FriendOutcome {
        var addition = FriendItem(user: user)
        edit(&addition.values)
        return try call(by: owner) { (ledger) throws(StorageError) in
            try FriendRules.add(addition, to: owner, type, force: force, in: ledger)
        }
    }

    package func respond(
        to applicant: UserID, of responder: UserID, _ type: FriendResponseType,
        _ edit: (inout FriendValues) -> Void = { _ in }
    ) throws(StorageError) -> FriendOutcome {
        var answer = ApplicationRules.Answer(to: applicant, type)
        edit(&answer.values)
        return try call(by: responder) { (ledger) throws(StorageError) in
            try ApplicationRules.respond(answer, of: responder, in: ledger)
        }
    }

    package func withdraw(
        from asked: UserID, of applicant: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: applicant) { (ledger) throws(StorageError) in
            try ApplicationRules.withdraw(from: asked, of: applicant, in: ledger)
        }
    }

    package func deletePendency(
        _ type: PendencyType, with user: UserID, of owner: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try ApplicationRules.delete(type, with: user, of: owner, in: ledger)
        }
    }

    /// Reports the applications that came in up to that time as read, and returns how many are
    /// unread then.
    package func report(upTo timeMs: Int64, of user: UserID) throws(StorageError) -> Int {
        try call(by: user) { (ledger) throws(StorageError) in
            try ApplicationRules.report(upTo: timeMs, of: user, in: ledger).unread
        }
    }

    /// Sweeps the applications that have expired once, and returns how many ended.
    package func sweep(users: Int = 100, applications: Int = 100) throws(StorageError) -> Int {
        let due = try store.read { (transaction) throws(StorageError) in
            try ApplicationExpiry.due(app, at: now, limit: users, in: transaction)
        }
        var ended = 0
        for user in due {
            ended += try call(by: nil) { (ledger) throws(StorageError) in
                try ApplicationExpiry.sweep(user, limit: applications, in: ledger)
            }
        }
        return ended
    }

    package func delete(
        _ user: UserID, from owner: UserID, _ type: DeleteType = .single
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try FriendRules.delete(user, from: owner, type, in: ledger)
        }
    }

    package func deleteAll(
        of owner: UserID, _ type: DeleteType = .single
    ) throws(StorageError) -> (mine: Int, theirs: Int) {
        try call(by: owner) { (ledger) throws(StorageError) in
            try FriendRules.deleteAll(of: owner, type, in: ledger)
        }
    }

    package func update(
        _ user: UserID, of owner: UserID, _ edit: (inout FriendValues) -> Void
    ) throws(StorageError) -> FriendOutcome {
        var change = FriendItem(user: user)
        edit(&change.values)
        return try call(by: owner) { (ledger) throws(StorageError) in
            try FriendRules.update(change, of: owner, in: ledger)
        }
    }

    package func block(_ user: UserID, by owner: UserID) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try Blacklist.add(user, to: owner, in: ledger)
        }
    }

    package func unblock(_ user: UserID, by owner: UserID) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try Blacklist.remove(user, from: owner, in: ledger)
        }
    }

    package func createGroup(
        _ name: String, with members: [UserID] = [], of owner: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try GroupRules.create(name, with: members, of: owner, in: ledger)
        }
    }

    package func deleteGroup(_ name: String, of owner: UserID) throws(StorageError) -> FriendOutcome
    {
        try call(by: owner) { (ledger) throws(StorageError) in
            try GroupRules.delete(name, of: owner, in: ledger)
        }
    }

    package func renameGroup(
        _ name: String, to newName: String, of owner: UserID
    ) throws(StorageError) -> FriendOutcome {
        try call(by: owner) { (ledger) throws(StorageError) in
            try GroupRules.rename(name, to: newName, of: owner, in: ledger)
        }
    }

    /// Puts users into a group by one call.
    package func putIntoGroup(
        _ name: String, _ users: UserID..., of owner: UserID
    ) throws(StorageError) -> [FriendOutcome] {
        try call(by: owner) { (ledger) throws(StorageError) in
            var outcomes: [FriendOutcome] = []
            for user in users {
                outcomes.append(try GroupRules.add(user, to: name, of: owner, in: ledger))
            }
            return outcomes
        }
    }

    /// Takes users out of a group by one call.
    package func takeOutOfGroup(
        _ name: String, _ users: UserID..., of owner: UserID
    ) throws(StorageError) -> [FriendOutcome] {
        try call(by: owner) { (ledger) throws(StorageError) in
            var outcomes: [FriendOutcome] = []
            for user in users {
                outcomes.append(try GroupRules.remove(user, from: name, of: owner, in: ledger))
            }
            return outcomes
        }
    }

    package func importFriend(
        _ friend: UserID, of owner: UserID, bothWays: Bool = false, notify: Bool = false,
        _ edit: (inout FriendValues) -> Void = { _ in }
    ) throws(StorageError) -> FriendOutcome {
        var row = FriendImport.Row(owner: owner, friend: friend)
        row.bothWays = bothWays
        edit(&row.values)
        return try call(by: nil) { (ledger) throws(StorageError) in
            try FriendImport.write(row, notify: notify, in: ledger)
        }
    }

    package func setProfile(
        of user: UserID, _ fields: [ProfileField], customKeys: [String] = [],
        expecting version: Int64? = nil, _ edit: (inout ProfileRecord) -> Void
    ) throws(StorageError) -> Profiles.Result {
        var values = ProfileRecord()
        edit(&values)
        return try call(by: user) { (ledger) throws(StorageError) in
            try Profiles.update(
                user, values, fields: fields, customKeys: customKeys, expectedVersion: version,
                in: ledger)
        }
    }

    /// - Returns: Whether the choice changed.
    @discardableResult
    package func letFind(
        _ user: UserID, by way: FindWay, _ choice: Findability
    ) throws(StorageError) -> Bool {
        var chosen = FindSettingsRecord()
        chosen[way] = choice
        return try call(by: user) { (ledger) throws(StorageError) in
            try FindSettingsRules.set(chosen, of: user, in: ledger)
        }
    }

    /// - Returns: Whether the choice changed.
    @discardableResult
    package func show(_ user: UserID, to visibility: Visibility) throws(StorageError) -> Bool {
        try call(by: user) { (ledger) throws(StorageError) in
            let result = try Profiles.setVisibility(visibility, of: user, in: ledger)
            guard case .done(_, let changed) = result else {
                throw StorageError(.failed, "\(user): \(result)")
            }
            return changed
        }
    }

    /// Chooses who sees single fields of a profile.
    @discardableResult
    package func show(
        _ user: UserID, _ fields: [Profiles.FieldChoice]
    ) throws(StorageError) -> Profiles.Choosing {
        try call(by: user) { (ledger) throws(StorageError) in
            try Profiles.choose(nil, fields, of: user, in: ledger)
        }
    }

    /// Sets how `user` treats users that want to become its friends.
    package func allow(_ type: AllowType, for user: UserID) throws(StorageError) {
        _ = try setProfile(of: user, [.allowType]) { $0.allowType = type }
    }
}

extension UserID: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        // The optional type is needed: without it the literal would call this initializer itself.
        let user: UserID? = UserID(text)
        guard let user else { preconditionFailure("\"\(text)\" is not a user id") }
        self = user
    }
}
