import Protobuf
import Synchronization

/// Adjacency lists as one reader sees them: all that it finds is the state of its moment.
///
/// - Important: It and all that it finds are valid only inside the closure that received it.
struct AdjacencyView {
    private let idHash: IDHash
    private let table: AdjacencyTable.Look
    private let check: CommitClock.Check

    @inline(__always)
    fileprivate init(_ adjacency: AdjacencyCache, _ moment: ReadVersion) {
        idHash = adjacency.hash
        table = adjacency.table.look
        check = adjacency.order.check(at: moment)
    }

    @inline(__always)
    func hash(_ id: UnsafeRawBufferPointer) -> UInt64 { idHash(id) }

    /// The address of the adjacency list at the place where a look-up of that hash begins; 0 if
    /// none is there.
    ///
    /// The reader's place keeps the memory at it.
    @inline(__always)
    func firstAddress(_ app: UInt32, _ hash: UInt64) -> UInt64 {
        let place = IDHash.place(hash, in: app)
        guard let array = table.array(table.part(of: place)) else { return 0 }
        let at = array + 1 + (Int(truncatingIfNeeded: place) & AdjacencyTable.mask(of: array))
        let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
        return address > AdjacencyTable.Place.left ? UInt64(address) : 0
    }

    /// The account of that id, if it is known and the reader may rely on it.
    ///
    /// Every answer from an adjacency list passes here, and with it the check of ``CommitClock``.
    @inline(__always)
    func account(_ app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64) -> AdjacencyList? {
        let place = IDHash.place(hash, in: app)
        guard let array = table.array(table.part(of: place)) else { return nil }
        let mask = AdjacencyTable.mask(of: array)
        let tag = UInt32(truncatingIfNeeded: place >> 32)
        var number = Int(truncatingIfNeeded: place) & mask
        // At least a quarter of the places is free, so this ends.
        while true {
            let at = array + 1 + number
            let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
            if address == AdjacencyTable.Place.free { return nil }
            if address != AdjacencyTable.Place.left, at.pointee.tag.load(ordering: .relaxed) == tag,
                let base = UnsafeMutableRawPointer(bitPattern: address)
            {
                // The reader's place keeps the memory, whatever has become of the entry since.
                let list = AdjacencyList(base)
                if list.isOf(app, id) {
                    guard check.isExact(list.head.pointee.since) else { return nil }
                    if at.pointee.isUsed.load(ordering: .relaxed) == 0 {
                        at.pointee.isUsed.store(1, ordering: .relaxed)
                    }
                    return list
                }
            }
            number = (number &+ 1) & mask
        }
    }
}

extension AdjacencyCache {
    /// Calls `body` with the adjacency lists as they were at `moment`; nil if nothing is kept, or
    /// if too many others are reading.
    ///
    /// `body` answers nil if it did not find all that it needs.
    @inline(__always)
    func look<Found>(at moment: ReadVersion, _ body: (AdjacencyView) -> Found?) -> Found? {
        guard isOn, let place = readers.enter() else { return nil }
        let found = body(AdjacencyView(self, moment))
        // Only the reader that holds the place writes these.
        if found != nil {
            place.pointee.found.store(
                place.pointee.found.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            place.pointee.notFound.store(
                place.pointee.notFound.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }
        readers.leave(place)
        return found
    }
}
