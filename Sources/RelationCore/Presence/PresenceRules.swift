package import RelationModel
import Storage

/// Rules over the users that learn of a user's presence.
package enum PresenceRules {
    /// Says for each of `users` whether its presence, devices included, is hidden from `viewer`.
    ///
    /// A blacklist hides its owner's presence from the users on it. A user that chose to be
    /// INVISIBLE hides its presence from strangers; the app's default hides nothing. A viewer that
    /// has the user as a friend, or subscribes to its presence, is notified of each change and so
    /// is not a stranger. An administrator that acts for a viewer learns what the viewer learns.
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
        // Few users are invisible by their own choice, so subscriptions are read last.
        var profiles = KeyList()
        for index in strangers {
            Tables.profiles.add(app.partition(of: users[index]), OnlyKey(), to: &profiles)
        }
        let choices = try Tables.profiles.records(profiles, in: transaction).map { $0?.visibility }
        let invisible = zip(strangers, choices).filter { $1 == .invisible }.map(\.0)
        let subscriptions = try Subscriptions.records(
            of: viewer, to: invisible.map { users[$0] }, .onlineStatus, at: now, app: app,
            in: transaction)
        for (index, subscription) in zip(invisible, subscriptions) {
            areHidden[index] = subscription == nil
        }
        return areHidden
    }
}
