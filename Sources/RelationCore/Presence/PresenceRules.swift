package import RelationModel
import Storage

/// Rules over the users that learn of a user's presence.
package enum PresenceRules {
    /// Says for each of `users` whether its presence, devices included, is hidden from `viewer`.
    ///
    /// A blacklist hides its owner's presence from the users on it. A user that chose who may see
    /// its profile as a whole hides its presence from the others; the app's default hides nothing.
    /// A viewer that has the user as a friend sees the presence all the same, because a friendship
    /// has the other's consent. A subscription has none, so it opens nothing. An administrator that
    /// acts for a viewer learns what the viewer learns.
    package static func areHidden(
        _ users: [UserID], from viewer: UserID, app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        var keys = KeyList()
        keys.reserve(users.count * 2)
        for user in users {
            Tables.blacklist.add(app.partition(of: user), viewer, to: &keys)
            Tables.friends.add(app.partition(of: viewer), user, to: &keys)
        }
        let found = try keys.found(in: transaction)
        var areHidden = users.indices.map { found[$0 * 2] }
        let unrelated = users.indices.filter { index in
            !areHidden[index] && !found[index * 2 + 1] && users[index] != viewer
        }
        // Few users close their profile by their own choice, so relations are read last.
        var profiles = KeyList()
        for index in unrelated {
            Tables.profiles.add(app.partition(of: users[index]), OnlyKey(), to: &profiles)
        }
        let choices = try Tables.profiles.records(profiles, in: transaction).map { $0?.visibility }
        let limited = zip(unrelated, choices).compactMap { index, choice -> Limited? in
            choice.isLimiting ? choice.map { Limited(index: index, choice: $0) } : nil
        }
        for index in try closed(limited, users, to: viewer, app, transaction) {
            areHidden[index] = true
        }
        return areHidden
    }

    /// The users among `viewers` to whom the choice of `user` for its profile as a whole opens its
    /// presence.
    ///
    /// - Parameter viewers: Users that are not on the user's blacklist, and do not have it as a
    ///   friend.
    static func viewers(
        of user: UserID, among viewers: [UserID], app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        guard !viewers.isEmpty else { return [] }
        let partition = app.partition(of: user)
        let profile = try Tables.profiles.record(partition, OnlyKey(), in: transaction)
        guard let profile, Optional(profile.visibility).isLimiting else { return viewers }
        return try ProfileSubscribers.views(
            of: user, profile, by: viewers, app: app, in: transaction
        ).flatMap { $0.view.isOpen ? $0.viewers : [] }
    }

    /// A user whose own choice for the profile as a whole leaves out some viewers.
    private struct Limited {
        let index: Int
        let choice: Visibility
    }

    /// The indices of the users whose choice leaves out `viewer`, which none of them blocks.
    private static func closed(
        _ limited: [Limited], _ users: [UserID], to viewer: UserID, _ app: App,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> [Int] {
        let found = try Profiles.viewers(
            of: limited.map { users[$0.index] }, choosing: limited.map(\.choice),
            closed: limited.map { _ in false }, by: viewer, isAdmin: false, app: app,
            in: transaction)
        return zip(limited, found).compactMap { user, relation in
            ProfileView(of: user.choice, by: relation.viewer).isOpen ? nil : user.index
        }
    }
}

extension Visibility? {
    /// Whether it is a choice that leaves out some viewers.
    fileprivate var isLimiting: Bool {
        switch self {
        case nil, .notSet, .everyone: false
        default: true
        }
    }
}
