/// Rows of a database in the order of a scan, one after another.
package protocol ScannedRows: ~Copyable {
    /// The row that the scan stands on, or nil at the end; valid until ``advance()``.
    var row: (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        get throws(StorageError)
    }

    func advance()
}

extension Overlay {
    /// The indices in ``changed`` of the entries in `range`.
    package mutating func changed(in range: KeyRange) -> Range<Int> {
        range.lower.withUnsafeBytes { lower in
            range.upper.withUnsafeBytes { upper in changed(from: lower, to: upper) }
        }
    }

    /// Walks the rows of the database and the changes side by side.
    ///
    /// If both have a key, the change counts.
    ///
    /// - Parameter changed: The changes among the rows, from ``changed(in:)``.
    package func merge(
        _ rows: borrowing some ScannedRows & ~Copyable, _ changed: Range<Int>, _ order: ScanOrder,
        limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> ScanStep
    ) throws(StorageError) {
        var left = limit
        var rest = changed
        while left > 0 {
            let row = try rows.row
            let next = order == .ascending ? rest.lowerBound : rest.upperBound - 1
            let change = rest.isEmpty ? nil : entries[Int(self.changed[next])]
            let side: Int
            switch (row, change) {
            case (nil, nil): return
            case (_?, nil): side = -1
            case (nil, _?): side = 1
            case (let row?, let change?):
                let distance = Overlay.compare(row.key, change.key)
                side = order == .ascending ? distance : -distance
            }

            var shown = side <= 0 ? row : nil
            if side >= 0, let change, change.isChanged {
                if case .present(let value) = change.now {
                    shown = (change.key, value)
                } else {
                    shown = nil
                }
            }
            if let shown {
                left -= 1
                if body(shown.key, shown.value) == .stop { return }
            }
            if side >= 0 {
                rest = order == .ascending ? next + 1..<rest.upperBound : rest.lowerBound..<next
            }
            if side <= 0 { rows.advance() }
        }
    }
}

extension Overlay.Entry {
    /// Whether the database has to get the row: it is changed, and not known to be there already as
    /// the transaction leaves it.
    package var isToWrite: Bool {
        guard isChanged else { return false }
        switch (stored, now) {
        case (.absent, .absent): return false
        case (.present(let one), .present(let other)): return Overlay.compare(one, other) != 0
        default: return true
        }
    }

    package var isPresent: Bool {
        if case .present = now { true } else { false }
    }
}
