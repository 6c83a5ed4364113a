import Storage

/// The rows in the partition of a user.
enum UserRows {
    /// The names of partitions of an app that are ids of users too: `!`, `"`, `#` and `'`.
    private static let sharedNames: [UInt8] = [0x21, 0x22, 0x23, 0x27]

    /// The tables in these partitions that are the app's.
    private static let tablesOfApps = [
        Tables.suspensionEnds.kind, Tables.reportIndex.kind, Tables.reportCounts.kind,
        Tables.reviewIndex.kind, Tables.reviewCounts.kind, Tables.consumers.kind,
        Tables.consumerReaders.kind,
    ]

    /// The user's own rows, except those of the tables `kept`.
    static func ranges(of partition: Partition, keeping kept: [UInt8] = []) -> [KeyRange] {
        let bytes = partition.bytes
        // The number of the app, the name, and the byte that ends it.
        let isShared = bytes.count == 6 && sharedNames.contains(bytes[4])
        var ranges: [KeyRange] = []
        var from: [UInt8] = []
        for kind in (kept + (isShared ? tablesOfApps : [])).sorted() {
            ranges.append(KeyRange(in: partition, from: from, to: [kind]))
            from = [kind + 1]
        }
        ranges.append(KeyRange(in: partition, from: from, to: [0xFF]))
        return ranges
    }
}
