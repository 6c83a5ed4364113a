package import Storage

/// How far an app's feed has come: the position of the latest event in each of its lanes.
///
/// A reader of one user or of the whole app has seen a first part of each lane. So one point says
/// how far it has come, and the feed has an order only within a lane.
package struct FeedPoint: Hashable, Sendable {
    private var positions: [Int64]

    /// The beginning of the feed.
    package init() {
        positions = Array(repeating: 0, count: Int(Lane.count))
    }

    /// - Precondition: There is one position for each lane.
    package init(_ positions: [Int64]) {
        precondition(positions.count == Int(Lane.count))
        self.positions = positions
    }

    package subscript(lane: UInt8) -> Int64 {
        get { positions[Int(lane)] }
        set { positions[Int(lane)] = newValue }
    }

    package var all: [Int64] { positions }

    /// Whether this point has come as far as `other` in every lane.
    package func covers(_ other: FeedPoint) -> Bool {
        // Each stream asks this, and other walks over both arrays cost four times as much.
        positions.withUnsafeBufferPointer { own in
            other.positions.withUnsafeBufferPointer { other in
                for lane in 0..<own.count where own[lane] < other[lane] { return false }
                return true
            }
        }
    }

    /// Moves this point as far as `other` in every lane where it is behind.
    package mutating func raise(to other: FeedPoint) {
        for lane in positions.indices where positions[lane] < other.positions[lane] {
            positions[lane] = other.positions[lane]
        }
    }

    /// The lanes of `app` as the transaction sees them.
    package static func lanes(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> [LaneRecord] {
        var keys = KeyList()
        for lane in 0..<Lane.count {
            Tables.lanes.add(app.partition(ofLane: lane), OnlyKey(), to: &keys)
        }
        return try Tables.lanes.records(keys, in: transaction).map { $0 ?? LaneRecord() }
    }

    /// The point that the feed of `app` has reached.
    package static func now(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedPoint {
        FeedPoint(try lanes(of: app, in: transaction).map(\.position))
    }
}
