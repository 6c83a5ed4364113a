package import RelationModel
package import Storage

/// Who of those that are watched is told of what another user does.
///
/// A change of a profile is stored once, with its owner. Whom it reaches is found when it goes out,
/// from the rows as they are then: somebody whom the owner has blocked meanwhile sees no more.
package enum Onlookers {
    /// The users that somebody watches.
    ///
    /// Functions rather than a collection of some type: what is generic over another room's types
    /// is not made for them, and a look into it would cost more than the row that asks for it.
    package struct Watched {
        let count: Int
        let contains: (UserID) -> Bool
        let all: () -> [UserID]

        package init(
            count: Int, contains: @escaping (UserID) -> Bool, all: @escaping () -> [UserID]
        ) {
            self.count = count
            self.contains = contains
            self.all = all
        }
    }

    /// The users among `watched` that are told of the profile of `subject`: those that have it in
    /// their friend list, and those that subscribe to its profile, unless it blocks them.
    package static func ofProfile(
        of subject: UserID, among watched: Watched, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let told = try told(.userProfile, of: subject, among: watched, now, app, transaction)
        return try notBlocked(by: subject, among: told, app, transaction)
    }

    /// The users among `watched` that are told of the presence of `subject`: those that have it in
    /// their friend list, and those that subscribe to its presence, unless it blocks them.
    package static func ofPresence(
        of subject: UserID, among watched: Watched, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let told = try told(.onlineStatus, of: subject, among: watched, now, app, transaction)
        return try notBlocked(by: subject, among: told, app, transaction)
    }

    private static func told(
        _ type: SubscribeType, of subject: UserID, among watched: Watched,
        _ now: Timestamp, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var told = try friends(of: subject, among: watched, app: app, in: transaction)
        let subscribers = try Subscriptions.subscribers(
            of: subject, type, at: now, app: app, in: transaction)
        guard !subscribers.isEmpty else { return told }
        let known = Set(told)
        for user in subscribers where watched.contains(user) && !known.contains(user) {
            told.append(user)
        }
        return told
    }

    /// The users among `watched` that have `subject` in their friend list.
    private static func friends(
        of subject: UserID, among watched: Watched, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        if watched.count > CoreLimits.askedWatchers,
            let named = try named(by: subject, among: watched, app, transaction)
        {
            return named
        }
        return try watched.all().filter { $0 != subject }.asking(
            { user, keys in
                Tables.friends.add(app.partition(of: user), subject, to: &keys)
            }, in: transaction)
    }

    /// The users among `watched` that have `subject` in their friend list, as its own rows say; nil
    /// if too many of its friendships are one-sided.
    ///
    /// They are those on its list, without those who do not have it, and those who have it without
    /// being on its list.
    private static func named(
        by subject: UserID, among watched: Watched, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID]? {
        let partition = app.partition(of: subject)
        guard
            let unreturned = try mentioned(.unreturned, of: partition, watched, transaction),
            var found = try mentioned(.friends, of: partition, watched, transaction)
        else { return nil }
        let withoutIt = Set(unreturned)
        let friends = Tables.friends
        try friends.scanBytes(friends.all(of: partition), limit: .max, in: transaction) {
            place, _ in
            let user = UserID(stored: place)
            guard watched.contains(user) else { return .more }
            if withoutIt.isEmpty || !withoutIt.contains(user) { found.append(user) }
            return .more
        }
        return found
    }

    /// The users among `watched` of whom the partition's rows speak on that list; nil if these are
    /// too many to read.
    private static func mentioned(
        _ list: Mention.List, of partition: Partition, _ watched: Watched,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID]? {
        let mentions = Tables.mentions
        let range = KeyRange(in: partition, prefix: [mentions.kind, list.rawValue])
        var found: [UserID] = []
        var rows = 0
        try mentions.scan(range, limit: CoreLimits.mentionRows, in: transaction) { mention, _ in
            rows += 1
            if watched.contains(mention.owner) { found.append(mention.owner) }
            return .more
        }
        return rows < CoreLimits.mentionRows ? found : nil
    }

    /// What each of `viewers` sees of the profile of `subject`, those that see the same together.
    ///
    /// - Parameters:
    ///   - visibility: What the subject chose.
    ///   - viewers: None of whom it blocks.
    package static func views(
        of subject: UserID, choosing visibility: Visibility, by viewers: [UserID], app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [(view: ProfileView, viewers: [UserID])] {
        let partition = app.partition(of: subject)
        let visibility = app.settings.visibility(chosen: visibility)
        var friends: Set<UserID> = []
        if visibility == .friends {
            friends = Set(
                try viewers.asking(
                    { user, keys in
                        Tables.friends.add(partition, user, to: &keys)
                    }, in: transaction))
        }
        var groups: [(view: ProfileView, viewers: [UserID])] = []
        for user in viewers {
            let viewer: ProfileViewer = friends.contains(user) ? .friend : .other
            let view = ProfileView(of: visibility, by: viewer)
            if let place = groups.firstIndex(where: { $0.view == view }) {
                groups[place].viewers.append(user)
            } else {
                groups.append((view, [user]))
            }
        }
        return groups
    }

    /// Those of `users` that `subject` has not on its blacklist.
    private static func notBlocked(
        by subject: UserID, among users: [UserID], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        guard !users.isEmpty else { return [] }
        let partition = app.partition(of: subject)
        let head = try Tables.heads.record(partition, OnlyPlace(), in: transaction)
        guard let head, head.blacklistCount > 0 else { return users }
        let blocked = Set(
            try users.asking(
                { user, keys in
                    Tables.blacklist.add(partition, user, to: &keys)
                }, in: transaction))
        return blocked.isEmpty ? users : users.filter { !blocked.contains($0) }
    }
}

extension [UserID] {
    /// Those whose key, which `add` makes, is there.
    fileprivate func asking(
        _ add: (UserID, inout KeyList) -> Void, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var found: [UserID] = []
        var rest = self[...]
        while !rest.isEmpty {
            let part = rest.prefix(CoreLimits.keysPerRead)
            rest = rest.dropFirst(part.count)
            var keys = KeyList()
            for user in part { add(user, &keys) }
            try transaction.read(keys) { place, bytes in
                if bytes != nil { found.append(part[part.startIndex + place]) }
            }
        }
        return found
    }
}

extension ChangeItem {
    /// What one with that view sees of a change of another user's profile, or nil if that is
    /// nothing.
    ///
    /// The version is that of what is seen. A changed field that is seen makes it the event's own;
    /// a change of the visibility moves what others see only if they see more than the card.
    ///
    /// - Parameters:
    ///   - kind: ``ChangeKind/profileChange`` or ``ChangeKind/visibilityChanged``.
    ///   - row: The profile as it now is, which may have changed again since.
    package func told(
        of kind: ChangeKind, seen view: ProfileView, now row: ProfileRecord,
        _ settings: AppSettings
    ) -> ChangeItem? {
        guard let profile else { return nil }
        var item = ChangeItem()
        item.userID = userID
        guard kind == .profileChange else {
            var seen = view.masked(profile, settings)
            seen.version = min(view.version(of: row), profile.version)
            seen.userID = userID
            item.profile = seen
            return item
        }
        var seen = ProfileRecord()
        seen.userID = userID
        seen.version = profile.version
        for path in fields {
            if let field = ProfileField(named: path) {
                guard view.sees(field) else { continue }
                field.copy(from: profile, to: &seen)
                item.fields.append(path)
            } else if let key = Profiles.customKey(in: path),
                let field = settings.customField(key, of: .profile), view.sees(field)
            {
                seen.custom.set(profile.custom.value(of: key), of: key)
                item.fields.append(path)
            }
        }
        item.profile = seen
        return item.fields.isEmpty ? nil : item
    }
}
