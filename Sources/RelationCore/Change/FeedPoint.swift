package import Storage

/// How far an app's feed has come: the position of the latest event in each of its lanes.
///
/// Whatever a reader follows, one user or the whole app, it has seen a first part of each lane: so
/// a point says where it stands, and the feed has an order only within a lane.
package struct FeedPoint: Hashable, Sendable {
    private var positions: [Int64]

    /// The beginning.
    package init() {
        positions = Array(repeating: 0, count: Int(Lane.count))
    }

    /// - Precondition: There is a position for each lane.
    package init(_ positions: [Int64]) {
        precondition(positions.count == Int(Lane.count))
        self.positions = positions
    }

    package subscript(lane: UInt8) -> Int64 {
        get { positions[Int(lane)] }
        set { positions[Int(lane)] = newValue }
    }

    package var all: [Int64] { positions }

    /// Whether it has come as far as `other` in every lane.
    package func covers(_ other: FeedPoint) -> Bool {
        zip(positions, other.positions).allSatisfy { $0 >= $1 }
    }

    /// Brings it as far as `other` wherever it is behind.
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
            Tables.lanes.add(app.partition(ofLane: lane), OnlyPlace(), to: &keys)
        }
        return try Tables.lanes.records(keys, in: transaction).map { $0 ?? LaneRecord() }
    }

    /// How far the feed of `app` has come.
    package static func now(
        of app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> FeedPoint {
        FeedPoint(try lanes(of: app, in: transaction).map(\.position))
    }
}
