package import RelationModel
import Storage

/// The rows of some friends of one user, which are read at once and stay encoded.
package struct FriendRowKeys {
    private let partition: Partition
    private var keys = KeyList()

    /// - Parameter count: The number of friends that will be added, as a guess.
    package init(of owner: UserID, app: App, count: Int) {
        partition = app.partition(of: owner)
        keys.reserve(count)
    }

    package mutating func add(_ friend: UserID) {
        Tables.friends.add(partition, friend, to: &keys)
    }

    /// Calls `body` with the row of each friend in the order in which they were added, or with nil
    /// for a user that is not a friend.
    ///
    /// - Important: The bytes are valid only during that call.
    package func read(
        in transaction: any ReadTransaction, _ body: (UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        try transaction.read(keys) { _, bytes in body(bytes) }
    }
}
