/// Bounds of the memory that the rules keep between calls.
package enum CoreLimits {
    /// Memory for all that a process keeps of its store, in the shares of the next five.
    package static let readCacheBytes = 320 << 20
    /// By how much the floor of numbers rises at least with another history.
    ///
    /// It counts only if the clock was set back: no user changes so much between two restores.
    package static let leastFloorStep: Int64 = 1 << 30
    /// Followers of one user that a check looks at together.
    package static let followersPerCheck = 1_000
    /// Rows of one user that name it, without being its own, that a check looks at together.
    package static let mentionsPerCheck = 1_000
    /// Entries of a history that a check looks at together; an entry may be long.
    package static let historyEntriesPerCheck = 200
    /// The pause between two notes that a user, or a device of it, was seen, while it is online.
    package static let lastSeenWhileOnlineMs: Int64 = 3_600_000
    /// The pause before such a note when the device goes offline.
    package static let lastSeenAtEndMs: Int64 = 60_000
    /// Memory for users' names: about 300,000 users.
    package static let nameBytes = 64 << 20
    /// Memory for users' profiles: about 100,000 profiles of usual length.
    package static let profileBytes = 64 << 20
    /// Memory for friend lists with their orders: about 30 lists of 3,000 friends.
    package static let friendListBytes = 32 << 20
    /// Memory for the rows of users' friends: about 300,000 rows.
    package static let friendRowBytes = 32 << 20
    /// The most bytes of one user's rows, with their index; the rows of a user with more are read
    /// one by one.
    package static let friendRowsOfUserBytes = 1 << 20
    /// All rows of a user's friends are read if they are at most so many for each one asked for.
    ///
    /// As many rows that lie together cost less than one that is looked up.
    package static let friendRowsPerAsked = 8
    /// As long as nothing has to go for them, more are read: the next calls look up none of them.
    package static let friendRowsPerAskedWithRoom = 64
    /// Memory for adjacency lists, and for the notes which accounts exist: about three million
    /// friendships of users in use.
    package static let adjacencyBytes = 128 << 20
    /// The most users in an adjacency list; a user that has to do with more is answered from rows.
    package static let adjacencyMembers = 8_192
    /// Adjacency lists that are loaded at one time; one more is not kept.
    package static let adjacencyLoads = 64
    /// Adjacency lists of friends that one read loads; the next one loads further ones.
    package static let adjacencyLoadsPerRead = 32
    /// Threads that look at adjacency lists at one time, a power of two; one more reads rows.
    package static let epochReaders = 128
    /// Users of one call whose memory is looked at together: as many as stay near the processor.
    package static let usersLookedAtTogether = 32
    /// The users of a call from which on that is done; for fewer it costs more than the waiting.
    package static let leastLookedAtTogether = 4
    /// Parts of the table of adjacency lists, each of which grows by itself; a power of two.
    package static let adjacencyParts = 1_024
    /// The memory of adjacency lists for which the table has a part.
    package static let adjacencyPartBytes = 64 << 10
    /// The least and the most users of whom it is remembered that their adjacency list was missed
    /// once.
    ///
    /// They are powers of two. In between it is as many as there is room for usual adjacency lists.
    package static let leastMissedLists = 4_096
    package static let mostMissedLists = 1 << 20
    /// The memory of an adjacency list of forty others.
    package static let usualAdjacencyBytes = 1_024
    /// Versions by which each part of the read cache knows what commits touched, a power of two.
    ///
    /// Users share them by their hash. A value that was read before a commit is not inserted after
    /// it, if the commit touched a user of the same slot.
    package static let invalidationSlots = 16_384
    /// Changes of names that are logged: a list that was compared before all of them is read again.
    package static let loggedNames = 16_384
    /// A list in the cache is compared with at most so many changes of names; after more, it is
    /// read again.
    package static let comparedNames = 2_048
    /// Bytes of a name's sort key that decide its position: room for 50 Han characters.
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
    package static let backReferenceRows = 20_000
    /// Keys in one read of many rows.
    package static let keysPerRead = 1_000
}
