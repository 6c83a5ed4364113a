import Protobuf
import RelationModel
import Synchronization

/// Circles as one reader sees them: all that it finds is the state of its moment.
///
/// - Important: It and all that it finds are valid only inside the closure that received it.
struct CircleView {
    private let idHash: IDHash
    private let table: CircleTable.Look
    private let check: CommitOrder.Check

    @inline(__always)
    fileprivate init(_ circles: Circles, _ moment: Moment) {
        idHash = circles.hash
        table = circles.table.look
        check = circles.order.check(at: moment)
    }

    @inline(__always)
    func hash(_ id: UnsafeRawBufferPointer) -> UInt64 { idHash(id) }

    /// The address of the circle at the place where a look-up of that hash begins; 0 if none is
    /// there.
    ///
    /// The reader's place keeps the memory at it.
    @inline(__always)
    func firstAddress(_ app: UInt32, _ hash: UInt64) -> UInt64 {
        let place = IDHash.place(hash, in: app)
        guard let array = table.array(table.part(of: place)) else { return 0 }
        let at = array + 1 + (Int(truncatingIfNeeded: place) & CircleTable.mask(of: array))
        let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
        return address > CircleTable.Place.left ? UInt64(address) : 0
    }

    /// The account of that id, if it is known and the reader may rely on it.
    ///
    /// Every answer from a circle passes here, and with it the check of ``CommitOrder``.
    @inline(__always)
    func account(_ app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64) -> Circle? {
        let place = IDHash.place(hash, in: app)
        guard let array = table.array(table.part(of: place)) else { return nil }
        let mask = CircleTable.mask(of: array)
        let tag = UInt32(truncatingIfNeeded: place >> 32)
        var number = Int(truncatingIfNeeded: place) & mask
        // At least a quarter of the places is free, so this ends.
        while true {
            let at = array + 1 + number
            let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
            if address == CircleTable.Place.free { return nil }
            if address != CircleTable.Place.left, at.pointee.tag.load(ordering: .relaxed) == tag,
                let base = UnsafeMutableRawPointer(bitPattern: address)
            {
                // The reader's place keeps the memory, whatever has become of the entry since.
                let circle = Circle(base)
                if circle.isOf(app, id) {
                    guard check.isExact(circle.head.pointee.since) else { return nil }
                    if at.pointee.isUsed.load(ordering: .relaxed) == 0 {
                        at.pointee.isUsed.store(1, ordering: .relaxed)
                    }
                    return circle
                }
            }
            number = (number &+ 1) & mask
        }
    }
}

extension Circles {
    /// Calls `body` with the circles as they were at `moment`; nil if nothing is kept, or if too
    /// many others are reading.
    ///
    /// `body` answers nil if it did not find all that it needs.
    @inline(__always)
    func look<Found>(at moment: Moment, _ body: (CircleView) -> Found?) -> Found? {
        guard isOn, let place = readers.enter() else { return nil }
        let found = body(CircleView(self, moment))
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
