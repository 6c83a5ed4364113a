package import RelationModel
import Storage

/// Finds the watched users that are notified of another user's changes.
///
/// A change of a profile is stored once, with its owner. Its receivers are found when it is sent,
/// from the rows as they are then: a user that the owner has blacklisted meanwhile sees no more.
package enum ProfileSubscribers {
    /// The users that streams watch.
    ///
    /// It holds functions, and not a collection of a generic type. The compiler does not specialize
    /// generic code for types of another room, and a lookup through it would cost more than the row
    /// that asks for it.
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

    /// The users among `watched` that are notified of the profile of `subject`.
    ///
    /// They are those that have it in their friend list, and those that subscribe to its profile,
    /// without those that it has blacklisted.
    package static func ofProfile(
        of subject: UserID, among watched: Watched, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        var ladder = NoRungs()
        return try ofProfile(
            of: subject, among: watched, at: now, app: app, noting: &ladder, in: transaction)
    }

    /// ``ofProfile(of:among:at:app:in:)``, which notes the rungs of the one user that is watched.
    static func ofProfile(
        of subject: UserID, among watched: Watched, at now: Timestamp, app: App,
        noting ladder: inout some RungRecorder, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let friends = try friends(of: subject, among: watched, app: app, in: transaction)
        let others = try subscribers(
            .userProfile, of: subject, among: watched, without: friends, now, app, transaction)
        let receivers = friends + others
        guard ladder.passes(.eventReceiver, !receivers.isEmpty) else { return [] }
        let left = try notBlocked(by: subject, among: receivers, app, transaction)
        return ladder.passes(.peerBlacklist, !left.isEmpty) ? left : []
    }

    /// The users among `watched` that subscribe to `subject`, and are not among `friends`.
    static func subscribers(
        _ type: SubscribeType, of subject: UserID, among watched: Watched,
        without friends: [UserID], _ now: Timestamp, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let subscribers = try Subscriptions.subscribers(
            of: subject, type, at: now, app: app, in: transaction)
        guard !subscribers.isEmpty else { return [] }
        let known = Set(friends)
        return subscribers.filter { watched.contains($0) && !known.contains($0) }
    }

    /// The users among `watched` that have `subject` in their friend list.
    static func friends(
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

    /// The users among `watched` that have `subject` in their friend list, by the rows of
    /// `subject`; nil if too many of its friendships are one-sided.
    ///
    /// They are the users on its list that have it too, and those that have it without being on its
    /// list.
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
            key, _ in
            let user = UserID(stored: key)
            guard watched.contains(user) else { return .more }
            if withoutIt.isEmpty || !withoutIt.contains(user) { found.append(user) }
            return .more
        }
        return found
    }

    /// The users among `watched` that the partition's rows mention with `list`; nil if those rows
    /// are too many to read.
    private static func mentioned(
        _ list: Mention.List, of partition: Partition, _ watched: Watched,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID]? {
        let mentions = Tables.mentions
        let range = KeyRange(in: partition, prefix: [mentions.kind, list.rawValue])
        var found: [UserID] = []
        var rows = 0
        try mentions.scan(range, limit: CoreLimits.backReferenceRows, in: transaction) {
            mention, _ in
            rows += 1
            if watched.contains(mention.owner) { found.append(mention.owner) }
            return .more
        }
        return rows < CoreLimits.backReferenceRows ? found : nil
    }

    /// A view of a profile, with the users that have it.
    package struct SharedView {
        package let view: ProfileView
        /// The view before the change; nil if the same rules applied to single fields.
        package let before: ProfileView?
        package fileprivate(set) var viewers: [UserID]
    }

    /// The views of `viewers` of the profile of `subject`; viewers that see the same are one
    /// element.
    ///
    /// - Parameters:
    ///   - record: The subject's present profile.
    ///   - item: The change that is reported, if it is one.
    ///   - viewers: Users that are not on the subject's blacklist.
    package static func views(
        of subject: UserID, _ record: ProfileRecord, changing item: ChangeItemRecord? = nil,
        by viewers: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [SharedView] {
        let visibility = app.settings.visibility(chosen: record.visibility)
        let now = FieldRules(of: record, app.settings)
        let former = item?.formerRules(now: record, app.settings)
        let hasFormer = item.map { !$0.formerFieldVisibilities.isEmpty } ?? false
        let rules = [now, former].compactMap(\.self)
        let partition = app.partition(of: subject)
        var friends: Set<UserID> = []
        if visibility == .friends || rules.contains(where: \.asksFriends) {
            friends = Set(
                try viewers.asking(
                    { user, keys in
                        Tables.friends.add(partition, user, to: &keys)
                    }, in: transaction))
        }
        var followers: Set<UserID> = []
        if visibility == .followers || rules.contains(where: \.asksFollowers) {
            followers = Set(
                try viewers.asking(
                    { user, keys in
                        Tables.follows.add(app.partition(of: user), subject, to: &keys)
                    }, in: transaction))
        }
        var members: [(group: UInt32, users: Set<UserID>)] = []
        for group in Set(rules.flatMap(\.groups)).sorted() {
            let users = try viewers.asking(
                { user, keys in
                    Tables.groupMembers.add(
                        partition, GroupMember(group: group, user: user), to: &keys)
                }, in: transaction)
            members.append((group, Set(users)))
        }
        var groups: [SharedView] = []
        for user in viewers {
            var relations = ViewerRelations()
            relations.isFriend = friends.contains(user)
            relations.isFollower = followers.contains(user)
            relations.groups = members.filter { $0.users.contains(user) }.map(\.group)
            let viewer: ProfileViewer =
                switch visibility {
                case .friends where relations.isFriend: .friend
                case .followers where relations.isFollower: .follower
                default: .other
                }
            let view = ProfileView(of: visibility, by: viewer, now, relations)
            let before =
                hasFormer ? ProfileView(of: visibility, by: viewer, former, relations) : nil
            if let index = groups.firstIndex(where: { $0.view == view && $0.before == before }) {
                groups[index].viewers.append(user)
            } else {
                groups.append(SharedView(view: view, before: before, viewers: [user]))
            }
        }
        return groups
    }

    /// Those `users` that are not on the blacklist of `subject`.
    static func notBlocked(
        by subject: UserID, among users: [UserID], _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        guard !users.isEmpty else { return [] }
        let partition = app.partition(of: subject)
        let userRecord = try Tables.userRecords.record(partition, OnlyKey(), in: transaction)
        guard let userRecord, userRecord.blacklistCount > 0 else { return users }
        let blocked = Set(
            try users.asking(
                { user, keys in
                    Tables.blacklist.add(partition, user, to: &keys)
                }, in: transaction))
        return blocked.isEmpty ? users : users.filter { !blocked.contains($0) }
    }
}

extension [UserID] {
    /// The users for whom the key that `add` makes has a row.
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
            try transaction.read(keys) { index, bytes in
                if bytes != nil { found.append(part[part.startIndex + index]) }
            }
        }
        return found
    }
}

extension ChangeItemRecord {
    /// The part of a change of another user's profile that `view` shows; nil if it shows nothing of
    /// it.
    ///
    /// The version is that of the last change that the view shows. If the view shows a changed
    /// field, that is the event's own version. A change of the visibility moves what other users
    /// see only if they see more than the card. A change of who sees single fields is for viewers
    /// that see one of them now, or saw it before.
    ///
    /// - Parameters:
    ///   - kind: ``ChangeKind/profileChange`` or ``ChangeKind/visibilityChanged``.
    ///   - before: The view before the change, if it reports choices for single fields.
    ///   - row: The present profile, which may have changed again since the event.
    package func visiblePart(
        of kind: ChangeKind, seen view: ProfileView, before: ProfileView? = nil,
        now row: ProfileRecord, _ settings: AppSettings
    ) -> ChangeItemRecord? {
        guard let profile else { return nil }
        var item = ChangeItemRecord()
        item.userID = userID
        guard kind == .profileChange else {
            let isShown = fields.contains { path in
                !ProfilePath.isOfField(path) || view.isVisible(path: path, settings)
                    || before?.isVisible(path: path, settings) ?? false
            }
            guard isShown else { return nil }
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
                guard view.isVisible(field) else { continue }
                field.copy(from: profile, to: &seen)
                item.fields.append(path)
            } else if let key = CustomPath.key(in: path),
                let field = settings.customField(key, of: .profile), view.isVisible(field)
            {
                seen.custom.set(field.shown(profile.custom.value(of: key)), of: key)
                item.fields.append(path)
            }
        }
        item.profile = seen
        return item.fields.isEmpty ? nil : item
    }
}
