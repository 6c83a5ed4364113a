package import RelationModel
import Storage

/// Rules over the users that learn of a user's presence.
package enum PresenceRules {
    /// Says for each of `users` whether its presence, devices included, is hidden from `viewer`.
    ///
    /// A blacklist hides its owner's presence from the users on it. A user that chose who may see
    /// its profile as a whole hides its presence from the others; the app's default hides nothing.
    /// A viewer that has the user as a friend, or subscribes to its presence, is notified of each
    /// change, so it sees the presence all the same. An administrator that acts for a viewer learns
    /// what the viewer learns.
    package static func areHidden(
        _ users: [UserID], from viewer: UserID, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Bool] {
        var keys = KeyList()
        keys.reserve(users.count * 2)
        for user in users {
            Tables.blacklist.add(app.partition(of: user), viewer, to: &keys)
            Tables.friends.add(app.partition(of: viewer), user, to: &keys)
        }
        let found = try keys.found(in: transaction)
        var areHidden = users.indices.map { found[$0 * 2] }
        let strangers = users.indices.filter { index in
            !areHidden[index] && !found[index * 2 + 1] && users[index] != viewer
        }
        // Few users close their profile by their own choice, so relations and subscriptions are
        // read last.
        var profiles = KeyList()
        for index in strangers {
            Tables.profiles.add(app.partition(of: users[index]), OnlyKey(), to: &profiles)
        }
        let choices = try Tables.profiles.records(profiles, in: transaction).map { $0?.visibility }
        let limited = zip(strangers, choices).compactMap { index, choice -> Limited? in
            guard let choice, choice != .notSet, choice != .everyone else { return nil }
            return Limited(index: index, choice: choice)
        }
        let closed = try closed(limited, users, to: viewer, app, transaction)
        let subscriptions = try Subscriptions.records(
            of: viewer, to: closed.map { users[$0] }, .onlineStatus, at: now, app: app,
            in: transaction)
        for (index, subscription) in zip(closed, subscriptions) {
            areHidden[index] = subscription == nil
        }
        return areHidden
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
        let standings = try Profiles.viewers(
            of: limited.map { users[$0.index] }, choosing: limited.map(\.choice),
            closed: limited.map { _ in false }, by: viewer, isAdmin: false, app: app,
            in: transaction)
        return zip(limited, standings).compactMap { user, standing in
            ProfileView(of: user.choice, by: standing.viewer).isOpen ? nil : user.index
        }
    }
}
