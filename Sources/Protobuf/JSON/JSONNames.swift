/// A table of names, each with an index, made once and searched by bytes.
struct JSONNames {
    struct Entry {
        let name: JSONBytes
        let index: Int
    }

    /// Open addressing: a free place has an index below zero.
    let entries: UnsafePointer<Entry>
    /// One less than the number of places, which is a power of two.
    let mask: Int

    /// The index of `name`; -1 if it is not in the table.
    func index(of name: JSONBytes) -> Int {
        var place = Self.hash(name) & mask
        while true {
            let entry = entries + place
            if entry.pointee.index < 0 { return -1 }
            if entry.pointee.name.equals(name) { return entry.pointee.index }
            place = (place &+ 1) & mask
        }
    }

    /// The places of a table for `names`; at least half of them are free.
    static func places(_ names: [(JSONBytes, Int)]) -> [Entry] {
        var size = 2
        while size < 2 * names.count { size *= 2 }
        var places = [Entry](repeating: Entry(name: .empty, index: -1), count: size)
        for (name, index) in names {
            var place = hash(name) & (size - 1)
            while places[place].index >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Entry(name: name, index: index)
        }
        return places
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
