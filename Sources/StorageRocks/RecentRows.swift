internal import Glibc
internal import Storage

/// Rows that the writer read lately, as the database has them.
///
/// Most writes read and change rows that others before them did: user records, the counts of an
/// app. Only the writer changes rows, so a row that was committed is what the database has. A row
/// enters when a transaction has read it and it was there; one that only was written does not.
///
/// Each row has one slot, by its hash, and takes it from the row that had it.
struct RecentRows: ~Copyable {
    fileprivate struct Slot {
        var hash = 0
        var keyCount = 0
        var valueCount = 0
        /// The key and, after it, the value; nil if there is no row.
        ///
        /// The table makes it, and frees it when a longer row needs another or at its end.
        var bytes: UnsafeMutableRawBufferPointer?

        var key: UnsafeRawBufferPointer? {
            bytes.map { UnsafeRawBufferPointer(rebasing: $0[..<keyCount]) }
        }
    }

    private var slots = [Slot](repeating: Slot(), count: Limits.recentRows)

    deinit {
        for slot in slots { slot.bytes?.deallocate() }
    }

    /// The row of `key`, or nil if it is not known; valid until the next change of the table.
    func value(of key: UnsafeRawBufferPointer, _ hash: Int) -> UnsafeRawBufferPointer? {
        let slot = slots[hash & (Limits.recentRows - 1)]
        guard slot.has(key, hash), let bytes = slot.bytes else { return nil }
        let end = slot.keyCount + slot.valueCount
        return UnsafeRawBufferPointer(rebasing: bytes[slot.keyCount..<end])
    }

    /// Keeps a row, unless it is longer than ``Limits/recentRowBytes``.
    mutating func insert(
        _ key: UnsafeRawBufferPointer, _ hash: Int, _ value: UnsafeRawBufferPointer
    ) {
        let count = key.count + value.count
        guard count <= Limits.recentRowBytes else { return forget(key, hash) }
        let index = hash & (Limits.recentRows - 1)
        if slots[index].bytes.map({ $0.count < count }) ?? true {
            slots[index].bytes?.deallocate()
            // In steps, because a user record grows a little with its numbers.
            slots[index].bytes = .allocate(byteCount: (count + 31) & ~31, alignment: 8)
        }
        guard let bytes = slots[index].bytes else { return }
        bytes.copyMemory(from: key)
        UnsafeMutableRawBufferPointer(rebasing: bytes[key.count...]).copyMemory(from: value)
        slots[index].hash = hash
        slots[index].keyCount = key.count
        slots[index].valueCount = value.count
    }

    /// Forgets the row of `key`, if it is there.
    mutating func forget(_ key: UnsafeRawBufferPointer, _ hash: Int) {
        let index = hash & (Limits.recentRows - 1)
        guard slots[index].has(key, hash) else { return }
        slots[index].bytes?.deallocate()
        slots[index] = Slot()
    }

    mutating func removeAll() {
        for index in slots.indices {
            slots[index].bytes?.deallocate()
            slots[index] = Slot()
        }
    }
}

extension RecentRows.Slot {
    fileprivate func has(_ key: UnsafeRawBufferPointer, _ hash: Int) -> Bool {
        guard self.hash == hash, let known = self.key else { return false }
        return Overlay.compare(known, key) == 0
    }
}
