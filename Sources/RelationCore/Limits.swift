/// The bounds of what the rules keep in memory between calls.
package enum CoreLimits {
    /// Memory for users' names: about 300,000 users.
    package static let nameBytes = 64 << 20
    /// Memory for friend lists with their orders: about 60 lists of 3,000 friends.
    package static let rosterBytes = 64 << 20
    /// Changes that are remembered, so that what was read before one is not kept after it.
    ///
    /// A read that is older than all of them is answered, and keeps nothing.
    package static let rememberedTouches = 16_384
    /// Changes of names that a kept list is compared with before it is made again instead.
    package static let comparedTouches = 2_048
    /// Bytes of a name's sort key that decide: room for 50 Han characters.
    ///
    /// Names that agree so far come by identifier. A page token holds all of the key, so that a
    /// page begins where the last one ended even if that row is gone.
    package static let sortKeyBytes = 160

    /// Users who are asked one by one whether another is their friend; of more, that other's own
    /// rows are read, which say so too.
    package static let askedWatchers = 256
    /// Rows that are read of a user's friendships of one side, to it and from it; of one with more,
    /// everybody is asked one by one.
    package static let mentionRows = 20_000
    /// Keys that one read of many takes.
    package static let keysPerRead = 1_000
}
