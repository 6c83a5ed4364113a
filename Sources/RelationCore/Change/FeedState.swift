package import Protobuf

/// The state of an app's feed: the position of its latest event, and the amounts that the app's
/// users have.
///
/// The counts stand here because every change of them makes an event, and the event's position is
/// written to this row anyway.
package struct FeedState: CodedMessage, Equatable {
    package var position: Int64 = 0
    package var accounts: Int64 = 0
    package var friends: Int64 = 0
    package var groups: Int64 = 0
    package var blacklisted: Int64 = 0
    package var comeIn: Int64 = 0
    package var sendOut: Int64 = 0
    package var subscriptions: Int64 = 0
    /// Events that were ever in users' logs: the positions without those of events that only the
    /// feed has.
    package var events: Int64 = 0
    /// The highest position whose event was trimmed: no reader can go on from before it.
    package var trimmedTo: Int64 = 0
    /// The highest position whose row is gone from the feed: the rows begin after it.
    package var feedFloor: Int64 = 0
    /// The highest sequence that an account had whose id was erased: each account that is made
    /// begins above it, since it may have that id.
    package var erasedSequence: Int64 = 0
    /// The highest version that the profile of such an account had.
    package var erasedVersion: Int64 = 0

    package init() {}

    /// Counts in, or out if `sign` is -1, the amounts of the user whose user record is
    /// `userRecord`.
    package mutating func count(_ userRecord: UserRecord?, _ sign: Int64) {
        guard let userRecord else { return }
        accounts += sign
        friends += sign * Int64(userRecord.friendCount)
        groups += sign * Int64(userRecord.groupCount)
        blacklisted += sign * Int64(userRecord.blacklistCount)
        comeIn += sign * Int64(userRecord.comeInCount)
        sendOut += sign * Int64(userRecord.sendOutCount)
        subscriptions += sign * Int64(userRecord.subscriptionCount)
    }

    /// Adds amounts, but none of the numbers that only rise.
    package mutating func add(_ other: FeedState) {
        position += other.position
        accounts += other.accounts
        friends += other.friends
        groups += other.groups
        blacklisted += other.blacklisted
        comeIn += other.comeIn
        sendOut += other.sendOut
        subscriptions += other.subscriptions
        events += other.events
    }

    package static let schema = Schema("relation.store.FeedState", FeedState.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "position", &position)
        visitor.field(2, "accounts", &accounts)
        visitor.field(3, "friends", &friends)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "blacklisted", &blacklisted)
        visitor.field(6, "come_in", &comeIn)
        visitor.field(7, "send_out", &sendOut)
        visitor.field(8, "events", &events)
        visitor.field(9, "trimmed_to", &trimmedTo)
        visitor.field(10, "subscriptions", &subscriptions)
        visitor.field(11, "feed_floor", &feedFloor)
        visitor.field(110, "erased_sequence", &erasedSequence)
        visitor.field(111, "erased_version", &erasedVersion)
    }
}
