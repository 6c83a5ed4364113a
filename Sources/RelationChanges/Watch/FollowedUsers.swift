import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

/// The users whose profiles and presence a user gets, by pages: its friends, and the users that it
/// subscribes to.
///
/// It gets both of a friend. So a friend that it also subscribes to stands only on the pages of
/// friends, and no user is reported twice.
enum FollowedUsers {
    /// The list of a user that names the others of whom a stream reports.
    enum Part {
        case friends
        /// The subscriptions to profiles, and to presence.
        case profiles, presence
    }

    /// The position after which a page begins.
    struct Cursor {
        /// The index of the user whose pages are read.
        var number = 0
        var part = Part.friends
        var after: UserID?
    }

    /// Some of the users that a stream follows because of one user.
    struct Page {
        let user: UserID
        let part: Part
        let subjects: [UserID]
        /// Nil after the last page of the last user.
        let next: Cursor?
    }

    /// How many users one page reads: so few that all it reports of them fits into one message.
    static func subjects(_ app: App, withProfiles: Bool) -> Int {
        guard withProfiles else { return WatchLimits.stateItems }
        return min(WatchLimits.stateItems, RowSizes(app.settings).profilesPerMessage)
    }

    /// Returns the page at `cursor`; nil if there is no such user.
    ///
    /// - Parameter limit: How many users it reads: ``subjects(_:withProfiles:)``.
    static func page(
        of users: [UserID], at cursor: Cursor, _ limit: Int, app: App, at now: Timestamp,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Page? {
        guard cursor.number < users.count else { return nil }
        let user = users[cursor.number]
        var subjects: [UserID] = []
        var next: Cursor? = cursor
        switch cursor.part {
        case .friends:
            subjects = try friends(of: user, after: cursor.after, limit, app, transaction)
            next?.after = subjects.last
            if subjects.count < limit { next = Cursor(number: cursor.number, part: .profiles) }
        case .profiles, .presence:
            let isOfProfiles = cursor.part == .profiles
            let followed = try Subscriptions.targets(
                of: user, isOfProfiles ? .userProfile : .onlineStatus, after: cursor.after,
                limit: limit, at: now, app: app, in: transaction)
            subjects = try notFriends(among: followed, to: user, app, transaction)
            next?.after = followed.last
            if followed.count < limit {
                next =
                    isOfProfiles
                    ? Cursor(number: cursor.number, part: .presence)
                    : cursor.number + 1 < users.count ? Cursor(number: cursor.number + 1) : nil
            }
        }
        return Page(user: user, part: cursor.part, subjects: subjects, next: next)
    }

    private static func friends(
        of user: UserID, after last: UserID?, _ limit: Int, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let partition = app.partition(of: user)
        let table = Tables.friends
        let range =
            last.map { table.rows(of: partition, after: $0) } ?? table.all(of: partition)
        var friends: [UserID] = []
        try table.scanBytes(range, limit: limit, in: transaction) { id, _ in
            friends.append(UserID(stored: id))
            return .more
        }
        return friends
    }

    /// The users among `others` that are not in the friend list of `user`.
    private static func notFriends(
        among others: [UserID], to user: UserID, _ app: App, _ transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let partition = app.partition(of: user)
        var keys = KeyList()
        for other in others { Tables.friends.add(partition, other, to: &keys) }
        var notFriends: [UserID] = []
        try transaction.read(keys) { index, bytes in
            if bytes == nil { notFriends.append(others[index]) }
        }
        return notFriends
    }
}

extension FollowedUsers.Page {
    /// The profiles on the page, as the user sees them.
    ///
    /// If an owner blocks the user, no change of its profile is reported, and a subscription shows
    /// nothing of it. For a friend the page otherwise has the same as a read.
    func profiles(
        asChanges: Bool, _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Profiles.Seen] {
        guard part != .presence else { return [] }
        var shown = subjects
        if asChanges || part == .profiles {
            let isHidden = try Blacklist.owners(
                among: subjects, blocking: user, app: app, in: transaction)
            shown = zip(subjects, isHidden).filter { !$1 }.map(\.0)
        }
        return try Profiles.visible(
            shown, by: user, isAdmin: false, app: app, in: transaction
        ).compactMap { $0 }
    }

    /// The presence of the users on the page that were ever reported, or have a custom status, and
    /// do not hide it from the user.
    func presence(
        _ app: App, _ board: PresenceBoard, at now: Timestamp,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Presence] {
        guard part != .profiles else { return [] }
        let userRecords = try Accounts.records(of: subjects, app: app, in: transaction)
        let statuses = try Statuses.records(
            of: subjects, with: userRecords, at: now, app: app, in: transaction)
        let wereSeen = userRecords.contains { $0.map { $0.seenDeviceCount > 0 } ?? false }
        guard wereSeen || board.count > 0 || statuses.contains(where: { $0 != nil }) else {
            return []
        }
        let isHidden =
            try part == .friends
            ? Blacklist.owners(among: subjects, blocking: user, app: app, in: transaction)
            : PresenceRules.areHidden(subjects, from: user, app: app, in: transaction)
        var found: [Presence] = []
        let known = try board.presence(
            of: subjects, with: userRecords, hiding: isHidden, app: app, at: now,
            in: transaction)
        for index in subjects.indices {
            guard var presence = known[index] else { continue }
            presence.show(statuses[index])
            if !presence.devices.isEmpty || statuses[index] != nil { found.append(presence) }
        }
        return found
    }
}

extension WatchBatch {
    /// Adds the presence of `found`, as part of the present state of a user.
    mutating func add(
        _ found: [Presence], for receivers: [UserID], at now: Timestamp, token: String = "",
        _ arena: Arena
    ) throws(CodecError) {
        guard !found.isEmpty else { return }
        var event = ChangeEvent(.state, at: now, found)
        event.syncType = .presence
        try add(event.bytes(arena), token: token, for: receivers, arena)
    }
}

extension ChangeEvent {
    private static let coder = Coder(ChangeEvent.self)

    /// An event about the presence of users.
    init(_ kind: ChangeKind, at now: Timestamp, _ presence: some Sequence<Presence>) {
        self.init()
        self.kind = kind
        timeMs = now.milliseconds
        items = presence.map { presence in
            var item = ChangeItem()
            item.userID = presence.userID
            item.presence = presence
            return item
        }
    }

    func bytes(_ arena: Arena) throws(CodecError) -> [UInt8] {
        try Self.coder.bytes(self, arena)
    }
}
