internal import Glibc
internal import Storage

/// Rows that the writer read lately, as the database has them.
///
/// Most writes read and change rows that others before them did: the heads of users, the counts of
/// an app. Only the writer changes rows, so a row that was committed is what the database has. A
/// row enters when a transaction has read it and it was there; one that only was written does not.
///
/// Each row has one place, by its hash, and takes it from the row that had it.
struct RecentRows: ~Copyable {
    fileprivate struct Place {
        var hash = 0
        var keyCount = 0
        var valueCount = 0
        /// The key and, behind it, the value; nil if there is no row.
        ///
        /// The table makes it, and frees it when a longer row needs another or at its end.
        var bytes: UnsafeMutableRawBufferPointer?

        var key: UnsafeRawBufferPointer? {
            bytes.map { UnsafeRawBufferPointer(rebasing: $0[..<keyCount]) }
        }
    }

    private var places = [Place](repeating: Place(), count: Limits.recentRows)

    deinit {
        for place in places { place.bytes?.deallocate() }
    }

    /// The row of `key`, or nil if it is not known; valid until the next change of the table.
    func value(of key: UnsafeRawBufferPointer, _ hash: Int) -> UnsafeRawBufferPointer? {
        let place = places[hash & (Limits.recentRows - 1)]
        guard place.has(key, hash), let bytes = place.bytes else { return nil }
        let end = place.keyCount + place.valueCount
        return UnsafeRawBufferPointer(rebasing: bytes[place.keyCount..<end])
    }

    /// Keeps a row, unless it is longer than ``Limits/recentRowBytes``.
    mutating func keep(
        _ key: UnsafeRawBufferPointer, _ hash: Int, _ value: UnsafeRawBufferPointer
    ) {
        let count = key.count + value.count
        guard count <= Limits.recentRowBytes else { return forget(key, hash) }
        let index = hash & (Limits.recentRows - 1)
        if places[index].bytes.map({ $0.count < count }) ?? true {
            places[index].bytes?.deallocate()
            // In steps, because a head grows a little with its numbers.
            places[index].bytes = .allocate(byteCount: (count + 31) & ~31, alignment: 8)
        }
        guard let bytes = places[index].bytes else { return }
        bytes.copyMemory(from: key)
        UnsafeMutableRawBufferPointer(rebasing: bytes[key.count...]).copyMemory(from: value)
        places[index].hash = hash
        places[index].keyCount = key.count
        places[index].valueCount = value.count
    }

    /// Forgets the row of `key`, if it is there.
    mutating func forget(_ key: UnsafeRawBufferPointer, _ hash: Int) {
        let index = hash & (Limits.recentRows - 1)
        guard places[index].has(key, hash) else { return }
        places[index].bytes?.deallocate()
        places[index] = Place()
    }

    mutating func removeAll() {
        for index in places.indices {
            places[index].bytes?.deallocate()
            places[index] = Place()
        }
    }
}

extension RecentRows.Place {
    fileprivate func has(_ key: UnsafeRawBufferPointer, _ hash: Int) -> Bool {
        guard self.hash == hash, let known = self.key else { return false }
        return Overlay.compare(known, key) == 0
    }
}
