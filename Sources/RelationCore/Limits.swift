/// Bounds of the memory that the rules keep between calls.
package enum CoreLimits {
    /// Memory for users' names: about 300,000 users.
    package static let nameBytes = 64 << 20
    /// Memory for users' profiles: about 100,000 profiles of usual length.
    package static let profileBytes = 64 << 20
    /// Memory for friend lists with their orders: about 60 lists of 3,000 friends.
    package static let friendListBytes = 64 << 20
    /// Changes that are remembered: a value that was read before one of them is not kept after it.
    ///
    /// A read that began before all of them gets its answer, and nothing of it is kept.
    package static let rememberedTouches = 16_384
    /// A kept list is compared with at most so many changes of names; after more, it is read anew.
    package static let comparedTouches = 2_048
    /// Bytes of a name's sort key that decide its place: room for 50 Han characters.
    ///
    /// Names that agree in all of them are sorted by identifier. A page token holds the whole key,
    /// so that a page begins where the last one ended even if that row is gone.
    package static let sortKeyBytes = 160

    /// Up to so many users are asked one by one whether another user is their friend.
    ///
    /// For more of them, that other user's own rows are read: they say it too.
    package static let askedWatchers = 256
    /// Rows that are read of a user's friendships of one side, to it and from it.
    ///
    /// If a user has more of them, the others are asked one by one.
    package static let mentionRows = 20_000
    /// Keys in one read of many rows.
    package static let keysPerRead = 1_000
}
