package import RelationModel
import Storage

/// Finds the watched users that are notified of another user's presence.
package enum PresenceSubscribers {
    /// The users among `watched` that are notified of the presence of `subject`.
    ///
    /// They are those that have it in their friend list, and those that subscribe to its presence
    /// and may see it, without those that it has blacklisted. ``PresenceRules`` says who may.
    package static func users(
        of subject: UserID, among watched: ProfileSubscribers.Watched, at now: Timestamp, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [UserID] {
        let friends = try ProfileSubscribers.friends(
            of: subject, among: watched, app: app, in: transaction)
        let others = try ProfileSubscribers.subscribers(
            .onlineStatus, of: subject, among: watched, without: friends, now, app, transaction)
        let seeing = try PresenceRules.viewers(
            of: subject, among: others, app: app, in: transaction)
        return try ProfileSubscribers.notBlocked(
            by: subject, among: friends + seeing, app, transaction)
    }
}
