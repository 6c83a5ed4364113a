/// A step from one format of the rows to the next one.
///
/// A step may end at any time, and is then restarted: it passes over rows that it has changed
/// already.
package struct FormatStep: Sendable {
    /// One part of a step, in a transaction of its own, after the part that returned `last`.
    ///
    /// - Returns: The key to go on from; nil at the end.
    package typealias Part =
        @Sendable (_ last: [UInt8], any WriteTransaction) throws(StorageError) -> [UInt8]?

    /// The format that it leads to; it begins at the one before.
    package let number: Int
    /// The partitions that it writes, as far as they are known beforehand.
    package let partitions: [Partition]
    package let part: Part

    package init(to number: Int, touching partitions: [Partition], _ part: @escaping Part) {
        self.number = number
        self.partitions = partitions
        self.part = part
    }

    /// Takes the step in a store, each part in a transaction of its own.
    package func run(
        in store: some Store, _ notify: (UpgradeNote) -> Void
    ) throws(StorageError) {
        var last: [UInt8]? = []
        var parts = 0
        while let key = last {
            last = try store.write(touching: partitions) {
                (transaction) throws(StorageError) in try part(key, transaction)
            }
            parts += 1
            notify(.reached(format: number, parts: parts))
        }
    }
}

/// How far the upgrade of a store has come, for a log.
package enum UpgradeNote: Equatable, Sendable {
    /// A backup of the format before is made; a rollback can return to it.
    case savesFirst(format: Int)
    /// It is there, under this name.
    case saved(String)
    /// So many parts of the step to that format are done.
    case reached(format: Int, parts: Int)
    case ended(format: Int)
}
