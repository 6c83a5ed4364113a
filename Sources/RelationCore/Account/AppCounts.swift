package import Storage

/// The amounts that an app holds, as the lanes of its feed count them.
package enum AppCounts {
    /// The sums over all lanes.
    package static func of(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> LaneRecord {
        var keys = KeyList()
        for lane in 0..<Lane.count {
            Tables.lanes.add(app.partition(ofLane: lane), OnlyKey(), to: &keys)
        }
        var sum = LaneRecord()
        for case let lane? in try Tables.lanes.records(keys, in: transaction) { sum.add(lane) }
        return sum
    }
}
