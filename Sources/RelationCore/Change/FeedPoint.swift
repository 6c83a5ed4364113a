package import Storage

/// How far an app's feed has come: the position of the latest event in each of its lanes.
///
/// A reader of one user or of the whole app has seen a first part of each lane. So one point says
/// how far it has come, and the feed has an order only within a lane.
package struct FeedPoint: Hashable, Sendable {
    /// The position in the one lane that a store has.
    ///
    /// Each stream of changes has a point, and each event moves that of some: an array would take
    /// memory for each, and count who has it.
    private var own: Int64 = 0

    /// The beginning of the feed.
    package init() {}

    /// - Precondition: There is one position for each lane.
    package init(_ positions: [Int64]) {
        precondition(positions.count == 1 && Lane.count == 1, "a point has a position for a lane")
        own = positions[0]
    }

    /// - Precondition: `lane` is a lane of a store.
    package subscript(lane: UInt8) -> Int64 {
        get {
            precondition(lane == Lane.own, "a store has one lane")
            return own
        }
        set {
            precondition(lane == Lane.own, "a store has one lane")
            own = newValue
        }
    }

    package var all: [Int64] { [own] }

    /// Whether this point has come as far as `other` in every lane.
    package func covers(_ other: FeedPoint) -> Bool { own >= other.own }

    /// Moves this point as far as `other` in every lane where it is behind.
    package mutating func raise(to other: FeedPoint) { own = max(own, other.own) }

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
