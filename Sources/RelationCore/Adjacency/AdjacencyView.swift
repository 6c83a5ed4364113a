import Protobuf
package import RelationModel
import Synchronization

/// Adjacency lists as one reader sees them: all that it finds is the state of its read version.
///
/// - Important: It and all that it finds are valid only inside the closure that received it.
struct AdjacencyView {
    private let idHash: IDHash
    private let table: AdjacencyTable.Lookup
    private let check: CommitClock.Check

    @inline(__always)
    fileprivate init(_ adjacency: AdjacencyCache, _ readVersion: ReadVersion) {
        idHash = adjacency.hash
        table = adjacency.table.lookUp
        check = adjacency.clock.check(at: readVersion)
    }

    @inline(__always)
    func hash(_ id: UnsafeRawBufferPointer) -> UInt64 { idHash(id) }

    /// The address of the adjacency list in the slot where a lookup of that hash begins; 0 if none
    /// is there.
    ///
    /// The reader's slot keeps the memory at it.
    @inline(__always)
    func firstAddress(_ app: UInt32, _ hash: UInt64) -> UInt64 {
        let slot = IDHash.slot(hash, in: app)
        guard let array = table.array(table.part(of: slot)) else { return 0 }
        let at = array + 1 + (Int(truncatingIfNeeded: slot) & AdjacencyTable.mask(of: array))
        let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
        return address > AdjacencyTable.Slot.left ? UInt64(address) : 0
    }

    /// The account of that id, if it is known and the reader may rely on it.
    ///
    /// Every answer from an adjacency list passes here, and with it the check of ``CommitClock``.
    @inline(__always)
    func account(_ app: UInt32, _ id: UnsafeRawBufferPointer, _ hash: UInt64) -> AdjacencyList? {
        let slot = IDHash.slot(hash, in: app)
        guard let array = table.array(table.part(of: slot)) else { return nil }
        let mask = AdjacencyTable.mask(of: array)
        let tag = UInt32(truncatingIfNeeded: slot >> 32)
        var number = Int(truncatingIfNeeded: slot) & mask
        // At least a quarter of the slots is free, so this ends.
        while true {
            let at = array + 1 + number
            let address = at.pointee.address.load(ordering: .sequentiallyConsistent)
            if address == AdjacencyTable.Slot.free { return nil }
            if address != AdjacencyTable.Slot.left, at.pointee.tag.load(ordering: .relaxed) == tag,
                let base = UnsafeMutableRawPointer(bitPattern: address)
            {
                // The reader's slot keeps the memory, whatever has become of the entry since.
                let list = AdjacencyList(base)
                if list.isOf(app, id) {
                    guard check.isValid(list.header.pointee.version) else { return nil }
                    if at.pointee.isUsed.load(ordering: .relaxed) == 0 {
                        at.pointee.isUsed.store(1, ordering: .relaxed)
                    }
                    return list
                }
            }
            number = (number &+ 1) & mask
        }
    }

    /// The adjacency list of that user, with its members; nil if it is not known.
    func list(_ app: UInt32, _ id: UnsafeRawBufferPointer) -> AdjacencyList? {
        guard let list = account(app, id, hash(id)), list.hasMembers else { return nil }
        return list
    }
}

extension AdjacencyCache {
    /// Calls `body` with the adjacency lists as they were at `readVersion`; nil if nothing is kept,
    /// or if too many others are reading.
    ///
    /// `body` answers nil if it did not find all that it needs.
    @inline(__always)
    func lookUp<Found>(at readVersion: ReadVersion, _ body: (AdjacencyView) -> Found?) -> Found? {
        guard isOn, let slot = readers.enter() else { return nil }
        let found = body(AdjacencyView(self, readVersion))
        // Only the reader that holds the slot writes these.
        if found != nil {
            slot.pointee.found.store(
                slot.pointee.found.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        } else {
            slot.pointee.notFound.store(
                slot.pointee.notFound.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }
        readers.exit(slot)
        return found
    }

    /// Whether the adjacency list of `user` is known, or known to be too long.
    package func isCached(_ user: UserID, _ app: App) -> Bool {
        var text = user.text
        let knows = text.withUTF8 { bytes in
            let id = UnsafeRawBufferPointer(bytes)
            return lookUp(at: readVersion()) { view -> Bool? in
                guard let list = view.account(app.id, id, view.hash(id)) else { return nil }
                return list.hasMembers || list.header.pointee.note == .tooLong
            }
        }
        return knows ?? false
    }

    /// Whether an adjacency list that was not found should be loaded: it is worth keeping, and a
    /// commit under way is not the reason.
    func isWorthLoading(_ app: UInt32, _ id: UnsafeRawBufferPointer) -> Bool {
        let hash = hash(id)
        let isTouched = lookUp(at: .latest) { view in
            view.account(app, id, hash)?.hasMembers ?? false
        }
        return isTouched == false && isWorthKeeping(IDHash.slot(hash, in: app))
    }
}
