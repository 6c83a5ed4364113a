package import Protobuf
package import RelationModel
import Storage

/// Where the history of an app begins: since then it has an entry of each change.
package struct HistoryStartRecord: CodedMessage, Equatable {
    package var sinceMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.HistoryStart", HistoryStartRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "since_ms", &sinceMs)
    }
}

extension HistoryLog {
    /// Notes that the history has nothing from before `time`: it was turned on then, rows came that
    /// it does not tell of, or its oldest entries went.
    ///
    /// A later beginning stays.
    package static func begin(
        _ app: App, at time: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) {
        let known = try Tables.historyStarts.record(
            app.historyPartition, OnlyKey(), in: transaction)
        if let known, known.sinceMs >= time.milliseconds { return }
        try switchHistory(app, at: time, in: transaction)
    }

    /// Notes that the history of the app was turned on at `time`, or off.
    static func switchHistory(
        _ app: App, at time: Timestamp, in transaction: any WriteTransaction
    ) throws(StorageError) {
        let (table, partition) = (Tables.historyStarts, app.historyPartition)
        guard app.keepsHistory else {
            return table.remove(partition, OnlyKey(), in: transaction)
        }
        var start = HistoryStartRecord()
        start.sinceMs = time.milliseconds
        try table.set(start, at: partition, OnlyKey(), in: transaction)
    }

    /// The time since which the history has an entry of each change; nil if none is known.
    package static func sinceMs(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        guard app.keepsHistory else { return nil }
        return try Tables.historyStarts.record(app.historyPartition, OnlyKey(), in: transaction)?
            .sinceMs
    }

    /// The position before which all entries tell of changes up to `moment`: the first entry that
    /// is later stands there, if there is one.
    ///
    /// It looks at no more entries than a position has bits. Each of its steps asks a position that
    /// depends on nothing but the answers before. So it answers the same when the history has
    /// grown, even if the clocks of servers differ and times go back.
    package static func position(
        after moment: Timestamp, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> UInt64 {
        let last = try state(of: app, in: transaction).last
        var below: UInt64 = 0
        var step: UInt64 = last == 0 ? 0 : 1 << (63 - UInt64(last.leadingZeroBitCount))
        while step > 0 {
            let position = below + step
            step >>= 1
            guard position <= last else { continue }
            let time = try timeMs(from: position, of: app, in: transaction)
            if let time, time <= moment.milliseconds { below = position }
        }
        return below + 1
    }

    /// The time of the first entry at a position or later; nil if there is none.
    private static func timeMs(
        from position: UInt64, of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Int64? {
        let table = Tables.history
        var record: HistoryRecord?
        var isBroken = false
        try table.scan(
            table.rows(of: app.historyPartition, after: position - 1), limit: 1, in: transaction
        ) { _, bytes in
            record = table.decode(bytes, in: transaction.arena)
            isBroken = record == nil
            return .stop
        }
        if isBroken { throw StorageError(.corrupted, "an entry of a history does not decode") }
        return record?.timeMs
    }
}
