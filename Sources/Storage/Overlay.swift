internal import Glibc

/// The rows that a write transaction has read or changed, above those of the database.
///
/// A hash table of entries finds a row. A list of the old value of each change undoes it. The
/// changed entries are sorted when a scan first needs them, and are merged into the scan. Keys and
/// values lie in a slab, so that they need not be counted or freed one by one.
package struct Overlay: ~Copyable {
    /// The state of a row, as far as it is known.
    package enum Value {
        case unknown
        case absent
        case present(UnsafeRawBufferPointer)
    }

    /// A row that the transaction has read or changed.
    package struct Entry {
        package let key: UnsafeRawBufferPointer
        package let hash: Int
        /// The row in the database, after it has been read.
        package fileprivate(set) var stored = Value.unknown
        /// The row that the transaction sees.
        package fileprivate(set) var now = Value.unknown
        package fileprivate(set) var isChanged = false
        /// Whether `changed` names the entry; it keeps the entry when the change is undone.
        fileprivate var isListed = false
    }

    private struct Change {
        let entry: Int32
        let value: Value
        let wasChanged: Bool
    }

    package private(set) var entries: [Entry] = []
    /// The entries that were ever changed.
    ///
    /// The first `sortedCount` are in the order of their keys.
    package private(set) var changed: [Int32] = []
    private var sortedCount = 0
    private var undo: [Change] = []
    /// Open addressing: a slot holds the number of an entry plus one, or zero.
    ///
    /// The size is a power of two, and at most half of the slots are taken.
    private var slots = [Int32](repeating: 0, count: 1024)
    private var slab = Slab()

    package init() {}

    package var changeCount: Int { undo.count }

    /// The seed is new in each process, so that users cannot choose names that collide.
    private let seed = KeyHash()

    /// The entry of `key`; it is made if it is new.
    package mutating func entry(of key: UnsafeRawBufferPointer) -> Int {
        let hash = seed.hash(key)
        let slot = slot(of: key, hash)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }

        entries.append(Entry(key: slab.copy(key), hash: hash))
        slots[slot] = Int32(entries.count)
        if entries.count * 2 > slots.count { grow() }
        return entries.count - 1
    }

    /// Takes the database's row for an entry that is still unknown.
    package mutating func load(_ index: Int, _ value: UnsafeRawBufferPointer?) {
        // A key that was asked for twice is loaded twice.
        guard case .unknown = entries[index].now else { return }
        entries[index].stored = value.map { .present(slab.copy($0)) } ?? .absent
        entries[index].now = entries[index].stored
    }

    /// Sets the row of an entry, or removes it if `value` is nil.
    package mutating func change(_ index: Int, to value: UnsafeRawBufferPointer?) {
        undo.append(
            Change(
                entry: Int32(index), value: entries[index].now,
                wasChanged: entries[index].isChanged))
        entries[index].now = value.map { .present(slab.copy($0)) } ?? .absent
        entries[index].isChanged = true
        if !entries[index].isListed {
            entries[index].isListed = true
            changed.append(Int32(index))
        }
    }

    /// Undoes changes, the last one first, until `count` are left.
    package mutating func undo(to count: Int) {
        precondition(count <= undo.count, "the savepoint was rolled back already")
        while undo.count > count {
            let change = undo.removeLast()
            let index = Int(change.entry)
            entries[index].isChanged = change.wasChanged
            entries[index].now = change.value
        }
    }

    /// The indices in `changed` of the entries from `lower`, inclusive, to `upper`, exclusive.
    package mutating func changed(
        from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer
    ) -> Range<Int> {
        sortChanged()
        let first = firstChanged(notBefore: lower, in: changed.count)
        return first..<max(first, firstChanged(notBefore: upper, in: changed.count))
    }

    /// Forgets everything, but keeps memory of a usual size for the next transaction.
    package mutating func removeAll() {
        if slots.count > Limits.overlaySlotsKept {
            slots = [Int32](repeating: 0, count: 1024)
            entries = []
            changed = []
            undo = []
        } else if !entries.isEmpty {
            for slot in slots.indices { slots[slot] = 0 }
            entries.removeAll(keepingCapacity: true)
            changed.removeAll(keepingCapacity: true)
            undo.removeAll(keepingCapacity: true)
        }
        sortedCount = 0
        slab.removeAll()
    }

    /// Negative, zero or positive, as the first key sorts before, with or after the second.
    package static func compare(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Int {
        let count = min(one.count, other.count)
        // An empty buffer may have no address.
        let order = count == 0 ? 0 : memcmp(one.baseAddress!, other.baseAddress!, count)
        return order != 0 ? Int(order) : one.count - other.count
    }

    package func checkInvariants() {
        for (index, entry) in entries.enumerated() {
            precondition(slots[slot(of: entry.key, entry.hash)] == index + 1, "entry not found")
            precondition(!entry.isChanged || entry.isListed, "a change that no list names")
            switch entry.now {
            case .unknown: precondition(!entry.isChanged, "a change to nothing known")
            case .absent, .present: break
            }
        }
        for (one, next) in zip(changed[..<sortedCount], changed[..<sortedCount].dropFirst()) {
            let order = Overlay.compare(entries[Int(one)].key, entries[Int(next)].key)
            precondition(order < 0, "changes out of order")
        }
    }

    /// The slot that names the entry of `key`, or the free one where it belongs.
    private func slot(of key: UnsafeRawBufferPointer, _ hash: Int) -> Int {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            if entries[index].hash == hash, Overlay.compare(entries[index].key, key) == 0 { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (index, entry) in entries.enumerated() {
            slots[slot(of: entry.key, entry.hash)] = Int32(index + 1)
        }
    }

    /// Puts ``changed`` into the order of the keys.
    package mutating func sort() {
        sortChanged()
    }

    /// Many new changes are sorted together with the others.
    ///
    /// A few, as between two scans of one batch, are inserted where they belong.
    private mutating func sortChanged() {
        if (changed.count - sortedCount) * 8 > changed.count {
            entries.withUnsafeBufferPointer { entries in
                changed.sort { one, other in
                    Overlay.compare(entries[Int(one)].key, entries[Int(other)].key) < 0
                }
            }
            sortedCount = changed.count
        }
        while sortedCount < changed.count {
            let entry = changed.remove(at: sortedCount)
            let index = firstChanged(notBefore: entries[Int(entry)].key, in: sortedCount)
            changed.insert(entry, at: index)
            sortedCount += 1
        }
    }

    private func firstChanged(notBefore key: UnsafeRawBufferPointer, in count: Int) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if Overlay.compare(entries[Int(changed[middle])].key, key) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
