package import Protobuf

/// Where one lane of an app's feed stands: the position of its latest event; and what the users of
/// the lane have.
///
/// The counts stand here because every change of them makes an event, whose position is written
/// anyway; an app's are the sums over its lanes.
package struct LaneRecord: Message, Equatable {
    package var position: Int64 = 0
    package var accounts: Int64 = 0
    package var friends: Int64 = 0
    package var groups: Int64 = 0
    package var blacklisted: Int64 = 0
    package var comeIn: Int64 = 0
    package var sendOut: Int64 = 0
    package var subscriptions: Int64 = 0
    /// Events that users' logs ever held: positions without those that only the feed has.
    package var events: Int64 = 0
    /// The highest position whose event was trimmed: nobody can go on from before it.
    package var trimmedTo: Int64 = 0
    /// The highest position whose row is gone from the feed: the rows begin after it.
    package var feedFloor: Int64 = 0

    package init() {}

    /// Counts in, or with -1 out, what a user has whose head is `head`.
    package mutating func count(_ head: HeadRecord?, _ sign: Int64) {
        guard let head else { return }
        accounts += sign
        friends += sign * Int64(head.friendCount)
        groups += sign * Int64(head.groupCount)
        blacklisted += sign * Int64(head.blacklistCount)
        comeIn += sign * Int64(head.comeInCount)
        sendOut += sign * Int64(head.sendOutCount)
        subscriptions += sign * Int64(head.subscriptionCount)
    }

    /// The sums with another lane's counts; what each was trimmed to has no sum.
    package mutating func add(_ other: LaneRecord) {
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

    package static let schema = Schema("relation.store.Lane", LaneRecord.self)

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
    }
}
