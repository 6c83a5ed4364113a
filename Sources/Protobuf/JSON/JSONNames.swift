/// A table of names, each with an index, made once and searched by bytes.
struct JSONNames {
    struct Entry {
        let name: JSONBytes
        let index: Int
    }

    /// Open addressing: a free slot has an index below zero.
    let entries: UnsafePointer<Entry>
    /// One less than the number of slots, which is a power of two.
    let mask: Int

    /// The index of `name`; -1 if it is not in the table.
    func index(of name: JSONBytes) -> Int {
        var slot = Self.hash(name) & mask
        while true {
            let entry = entries + slot
            if entry.pointee.index < 0 { return -1 }
            if entry.pointee.name.equals(name) { return entry.pointee.index }
            slot = (slot &+ 1) & mask
        }
    }

    /// The slots of a table for `names`; at least half of them are free.
    static func slots(_ names: [(JSONBytes, Int)]) -> [Entry] {
        var size = 2
        while size < 2 * names.count { size *= 2 }
        var slots = [Entry](repeating: Entry(name: .empty, index: -1), count: size)
        for (name, index) in names {
            var slot = hash(name) & (size - 1)
            while slots[slot].index >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Entry(name: name, index: index)
        }
        return slots
    }

    /// The names are the contract's own, so no sender can make them collide.
    @inline(__always) private static func hash(_ name: JSONBytes) -> Int {
        guard name.count > 0 else { return 0 }
        let first = Int(name.start[0])
        let middle = Int(name.start[name.count &>> 1])
        let last = Int(name.start[name.count &- 1])
        return first &* 31 &+ middle &* 7 &+ last &* 17 &+ name.count &* 131
    }
}
