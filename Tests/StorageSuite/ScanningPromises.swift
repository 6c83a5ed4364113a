internal import Storage

private let ann = Partition("ann")
private let letters = ["a", "b", "c", "d", "e"].map { Row($0, "value of \($0)") }

/// A store with five rows of `ann` and neighbours on both sides.
private func fiveRows(_ engine: any Engine) throws -> any Store {
    let store = try engine.open()
    try store.put(letters, in: ann)
    for name in ["anm", "ann0", "anna", "ano", "an"] {
        try store.put([Row("", name), Row("c", name), Row("z", name)], in: Partition(name))
    }
    try store.put([Row("c", "app 2")], in: Partition("ann", app: 2))
    try store.put([Row("c", "app 0")], in: Partition("ann", app: 0))
    return store
}

let scanningPromises = [
    Promise("aScanStaysInItsRangeInBothOrders") { engine in
        let store = try fiveRows(engine)
        let cases: [(String, String, Range<Int>)] = [
            ("a", "f", 0..<5), ("b", "d", 1..<3), ("b", "d0", 1..<4), ("aa", "bb", 1..<2),
            ("", "b", 0..<1), ("f", "g", 0..<0), ("c", "c", 0..<0), ("d", "b", 0..<0),
            ("c", "c0", 2..<3), ("", "~", 0..<5),
        ]
        for (lower, upper, wanted) in cases {
            let range = KeyRange(ann, lower, upper)
            try expect(
                store.rows(range), is: Array(letters[wanted]), "\(lower)..<\(upper), ascending")
            try expect(
                store.rows(range, .descending), is: letters[wanted].reversed(),
                "\(lower)..<\(upper), descending")
        }
        store.close()
    },
    Promise("aScanEndsAtItsLimitOrWhenStopped") { engine in
        let store = try fiveRows(engine)
        for count in 0...6 {
            let first = Array(letters.prefix(count))
            let last = Array(letters.reversed().prefix(count))
            let all = KeyRange(all: ann)
            try expect(store.rows(all, limit: count), is: first, "limit, ascending")
            try expect(store.rows(all, .descending, limit: count), is: last, "limit, descending")
            guard count > 0 else { continue }
            let stopped = try store.read { (transaction) throws(StorageError) in
                (
                    try transaction.rows(all, stopAfter: count),
                    try transaction.rows(all, .descending, stopAfter: count)
                )
            }
            try expect(stopped.0, is: first, "stopped, ascending")
            try expect(stopped.1, is: last, "stopped, descending")
        }
        store.close()
    },
    Promise("aScanInAWriteMergesItsOwnChanges") { engine in
        let store = try fiveRows(engine)
        let wanted = [
            Row("", "first"), Row("a", "changed"), Row("c", "value of c"), Row("cc", "new"),
            Row("d", "value of d"), Row("e", "back"), Row("z", "last"),
        ]
        let all = KeyRange(all: ann)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(ann.key("cc"), "new")
            transaction.set(ann.key("a"), "changed")
            transaction.remove(ann.key("b"))
            transaction.remove(ann.key("never there"))
            transaction.set(ann.key("z"), "last")
            transaction.set(ann.key(""), "first")
            transaction.remove(ann.key("e"))
            transaction.set(ann.key("e"), "back")
            transaction.set(ann.key("x"), "gone again")
            transaction.remove(ann.key("x"))
            return (
                try transaction.rows(all), try transaction.rows(all, .descending),
                try transaction.rows(all, limit: 4),
                try transaction.rows(all, .descending, limit: 3),
                try transaction.rows(KeyRange(ann, "b", "d")),
                try transaction.rows(KeyRange(ann, "b", "d"), .descending),
                try transaction.rows(all, stopAfter: 2)
            )
        }
        try expect(found.0, is: wanted, "ascending")
        try expect(found.1, is: wanted.reversed(), "descending")
        try expect(found.2, is: Array(wanted[..<4]), "limit, ascending")
        try expect(found.3, is: wanted.suffix(3).reversed(), "limit, descending")
        try expect(found.4, is: [wanted[2], wanted[3]], "a part, ascending")
        try expect(found.5, is: [wanted[3], wanted[2]], "a part, descending")
        try expect(found.6, is: Array(wanted[..<2]), "stopped")
        try expect(store.rows(all), is: wanted, "afterwards")
        store.close()
    },
    Promise("aScanSeesWhatWasChangedSinceTheLastOne") { engine in
        let store = try engine.open()
        var numbers = SeededNumbers(seed: 3)
        let names = (100..<400).map { "p\($0)" }.shuffled(using: &numbers)
        try store.put([Row("p000", "x"), Row("p999", "x")], in: ann)
        let counts = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            var counts: [Int] = []
            for name in names {
                transaction.set(ann.key(name), "x")
                let rows = try transaction.rows(KeyRange(all: ann)).map(\.suffix)
                let isSorted = zip(rows, rows.dropFirst()).allSatisfy {
                    $0.lexicographicallyPrecedes($1)
                }
                counts.append(isSorted ? rows.count : -1)
            }
            return counts
        }
        try expect(counts, is: Array(3..<303), "rows seen")
        store.close()
    },
]
