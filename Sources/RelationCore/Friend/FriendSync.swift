package import RelationModel
import Storage

/// The changes of a friend list since a sequence: rows in the order of their versions, and among
/// them the tombstones of removed friends.
///
/// A change moves its row to the end of that order. So if each page begins after the last key of
/// the page before, the pages miss nothing, whatever is written meanwhile.
package enum FriendSync {
    /// The state of a copy of the list.
    package struct Point: Equatable {
        /// Tombstones up to this sequence do not matter: the copy never had those friends, or was
        /// already reported.
        package let base: Int64
        /// The last key that the copy received.
        package let position: SequencedUser

        package init(base: Int64, position: SequencedUser) {
            self.base = base
            self.position = position
        }
    }

    /// One friend that changed.
    package struct Entry: Equatable {
        package let key: SequencedUser
        package let isRemoved: Bool
    }

    /// The point at which the next page begins, and whether it begins the whole list.
    ///
    /// It begins the whole list if the copy cannot be brought up to date: removals that it was not
    /// reported are forgotten, or its sequence is one that the list never reached.
    ///
    /// - Parameter point: The point at which the page before ended; nil for the first page.
    package static func next(
        since sequence: Int64, after point: Point?, _ userRecord: UserRecord
    ) -> (point: Point, isWhole: Bool) {
        let beginning = Point(
            base: userRecord.friendsSequence, position: SequencedUser(after: 0))
        guard sequence > 0 || point != nil else { return (beginning, false) }
        let point = point ?? Point(base: sequence, position: SequencedUser(after: sequence))
        // Friends that one call removed share a sequence, and only some of them may be trimmed.
        let isTrimmed =
            userRecord.friendsTrimmedTo > point.base
            && userRecord.friendsTrimmedTo >= point.position.sequence
        let isKnown = point.position.sequence <= userRecord.sequence
        return isTrimmed || !isKnown ? (beginning, true) : (point, false)
    }

    /// The changes after `point`, oldest first, at most `limit` of them.
    ///
    /// No index has the rows in the order of their versions: it would cost every change two rows
    /// more. A list has no change after its user record's sequence; otherwise one scan finds the
    /// order.
    package static func entries(
        of owner: UserID, after point: Point, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Entry] {
        let partition = app.partition(of: owner)
        var entries: [Entry] = []
        let last =
            try Tables.userRecords.record(partition, OnlyKey(), in: transaction)?.friendsSequence
            ?? 0
        guard point.position < SequencedUser(after: last) else { return [] }
        let sortKeys = try FriendList.sortKeys(of: partition, in: transaction) { sortKey, user in
            SequencedUser(sequence: sortKey.sequence, user: user)
        }
        for key in sortKeys where key > point.position {
            entries.append(Entry(key: key, isRemoved: false))
        }
        let removals = Tables.tombstonesBySequence
        let position = max(point.position, SequencedUser(after: point.base))
        try removals.scan(
            removals.rows(of: partition, after: position), limit: limit, in: transaction
        ) { key, _ in
            entries.append(Entry(key: key, isRemoved: true))
            return .more
        }
        entries.sort { $0.key < $1.key }
        return Array(entries.prefix(limit))
    }
}
