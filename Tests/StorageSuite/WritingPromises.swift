internal import Storage

private let ann = Partition("ann")
private let bob = Partition("bob")

let writingPromises = [
    Promise("aWriteReadsItsOwnChanges") { engine in
        let store = try engine.open()
        try store.put([Row("a", "old"), Row("b", "old")], in: ann)
        let keys = ["a", "b", "c", "d"].map(ann.key)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(keys[0], "new")
            transaction.remove(keys[1])
            transaction.set(keys[2], "new")
            return try keys.map { (key) throws(StorageError) in try transaction.text(key) }
        }
        try expect(found, is: ["new", nil, "new", nil], "inside")
        try expect(
            store.rows(KeyRange(all: ann)), is: [Row("a", "new"), Row("c", "new")], "afterwards")
        store.close()
    },
    Promise("theLastChangeOfAKeyCounts") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1"), Row("b", "1")], in: ann)
        try store.write(touching: [ann]) { transaction in
            for number in 2...9 { transaction.set(ann.key("a"), "\(number)") }
            transaction.remove(ann.key("b"))
            transaction.set(ann.key("b"), "1")
            transaction.set(ann.key("c"), "1")
            transaction.remove(ann.key("c"))
        }
        try expect(
            store.rows(KeyRange(all: ann)), is: [Row("a", "9"), Row("b", "1")], "rows")
        store.close()
    },
    Promise("aBodyThatThrowsWritesNothing") { engine in
        let store = try engine.open()
        try store.put([Row("a", "old")], in: ann)
        var code: StorageError.Code?
        do throws(StorageError) {
            try store.write(touching: [ann, bob]) { (transaction) throws(StorageError) in
                transaction.set(ann.key("a"), "new")
                transaction.set(bob.key("a"), "new")
                _ = try transaction.rows(KeyRange(all: ann))
                throw StorageError(.conflict, "on purpose")
            }
        } catch {
            code = error.code
        }
        try expect(code, is: .conflict, "the error")
        try expect(store.text(ann.key("a")), is: "old", "one partition")
        try expect(store.text(bob.key("a")), is: nil, "the other")
        let next = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            try transaction.text(ann.key("a"))
        }
        try expect(next, is: "old", "the next write")
        store.close()
        let again = try engine.open()
        try expect(again.text(ann.key("a")), is: "old", "after reopening")
        again.close()
    },
    Promise("aWriteThatChangesNothingIsAllowed") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        try store.write(touching: []) { _ in }
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            try transaction.prefetch(KeyList([ann.key("a"), ann.key("b")]))
            transaction.set(ann.key("a"), "1")
            transaction.remove(ann.key("b"))
        }
        try expect(store.rows(KeyRange(all: ann)), is: [Row("a", "1")], "rows")
        store.close()
    },
    Promise("prefetchChangesNoAnswer") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1"), Row("b", "1"), Row("c", "1")], in: ann)
        let keys = ["a", "b", "c", "d", "a"].map(ann.key)
        let all = KeyRange(all: ann)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(keys[0], "2")
            transaction.remove(keys[1])
            let start = transaction.savepoint()
            try transaction.prefetch(KeyList(keys))
            let first = (try transaction.values(keys), try transaction.rows(all))
            transaction.set(keys[2], "3")
            transaction.set(keys[3], "3")
            try transaction.prefetch(KeyList(keys))
            let second = (try transaction.values(keys), try transaction.rows(all))
            transaction.rollback(to: start)
            try transaction.prefetch(KeyList([]))
            let third = (try transaction.values(keys), try transaction.rows(all))
            return [first, second, third]
        }
        let two: [UInt8]? = Array("2".utf8)
        let one: [UInt8]? = Array("1".utf8)
        let three: [UInt8]? = Array("3".utf8)
        let values: [[[UInt8]?]] = [
            [two, nil, one, nil, two], [two, nil, three, three, two], [two, nil, one, nil, two],
        ]
        try expect(found.map(\.0), is: values, "values")
        let before = [Row("a", "2"), Row("c", "1")]
        let after = [Row("a", "2"), Row("c", "3"), Row("d", "3")]
        try expect(found.map(\.1), is: [before, after, before], "rows")
        try expect(store.rows(all), is: before, "afterwards")
        store.close()
    },
    Promise("aPossibleKeyReadsAsAnyOther") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1"), Row("b", "1"), Row("c", "1")], in: ann)
        let names = ["a", "b", "c", "d"]
        var list = KeyList([ann.key("a")])
        list.addPossible { keys in
            keys.append(ann.key("b"))
            keys.append(ann.key("d"))
        }
        list.append(ann.key("c"))
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            try transaction.prefetch(list)
            let first = try transaction.values(names.map(ann.key))
            transaction.set(ann.key("b"), "2")
            try transaction.prefetch(list)
            return [first, try transaction.values(names.map(ann.key))]
        }
        let (one, two): ([UInt8]?, [UInt8]?) = (Array("1".utf8), Array("2".utf8))
        try expect(found, is: [[one, one, one, nil], [one, two, one, nil]], "values")
        store.close()
    },
    Promise("manyChangesOfOneWriteAreAllMade") { engine in
        let store = try engine.open()
        var numbers = SeededNumbers(seed: 4)
        let names = (10_000..<30_000).map { "\($0)" }
        let shuffled = names.shuffled(using: &numbers)
        try store.put(shuffled.map { Row($0, "v\($0)") }, in: ann)
        try expect(store.rows(KeyRange(all: ann)), is: names.map { Row($0, "v\($0)") }, "rows")
        try store.write(touching: [ann]) { transaction in
            for name in shuffled where name.hasSuffix("7") { transaction.remove(ann.key(name)) }
        }
        try expect(store.rows(KeyRange(all: ann)).count, is: 18_000, "rows left")
        store.close()
    },
]
