package import RelationModel
package import Storage

/// What changed in a friend list since a sequence: rows in the order of their versions, and among
/// them the tombstones of removed friends.
///
/// A change moves its row to the end of that order, so pages that begin each after the last place
/// of the one before miss nothing, whatever is written meanwhile.
package enum FriendSync {
    /// Where a copy of the list stands.
    package struct Point: Equatable {
        /// Tombstones up to this sequence are of no interest: the copy never had those friends, or
        /// has been told.
        package let base: Int64
        /// The last place that the copy was told of.
        package let position: SequencedUser

        package init(base: Int64, position: SequencedUser) {
            self.base = base
            self.position = position
        }
    }

    /// One friend that changed.
    package struct Entry: Equatable {
        package let place: SequencedUser
        package let isRemoved: Bool
    }

    /// Where a copy of the sequence `since` goes on, nil if it cannot be brought up to date: it is
    /// older than the tombstones reach, or of a time that never was.
    package static func start(from since: Int64, _ head: HeadRecord) -> Point? {
        guard since > 0 else { return beginning(head) }
        guard since <= head.sequence, since >= head.friendsTrimmedTo else { return nil }
        return Point(base: since, position: SequencedUser(behind: since))
    }

    /// Whether a copy at `point` has missed nothing: the same in the middle of its pages.
    package static func reaches(_ point: Point, _ head: HeadRecord) -> Bool {
        // Friends that were removed by one call share a sequence, and may be trimmed in part.
        let isTrimmed =
            head.friendsTrimmedTo > point.base
            && head.friendsTrimmedTo >= point.position.sequence
        return !isTrimmed && point.position.sequence <= head.sequence
    }

    /// Where an empty copy begins.
    package static func beginning(_ head: HeadRecord) -> Point {
        Point(base: head.friendsSequence, position: SequencedUser(behind: 0))
    }

    /// The changes after `point`, oldest first, at most `limit` of them.
    package static func entries(
        of owner: UserID, after point: Point, limit: Int, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Entry] {
        let partition = app.partition(of: owner)
        var entries: [Entry] = []
        let rows = Tables.friendsBySequence
        try rows.scan(
            rows.rows(of: partition, after: point.position), limit: limit, in: transaction
        ) { place, _ in
            entries.append(Entry(place: place, isRemoved: false))
            return .more
        }
        let removals = Tables.tombstonesBySequence
        let position = max(point.position, SequencedUser(behind: point.base))
        try removals.scan(
            removals.rows(of: partition, after: position), limit: limit, in: transaction
        ) { place, _ in
            entries.append(Entry(place: place, isRemoved: true))
            return .more
        }
        entries.sort { $0.place < $1.place }
        return Array(entries.prefix(limit))
    }
}
