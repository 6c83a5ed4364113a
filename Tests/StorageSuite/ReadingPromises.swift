internal import Memory
internal import Protobuf
internal import Storage

private let ann = Partition("ann")
private let bob = Partition("bob")

let readingPromises = [
    Promise("anEmptyStoreHasNoRows") { engine in
        let store = try engine.open()
        try expect(store.text(ann.key("a")), is: nil, "a read")
        try expect(store.rows(KeyRange(all: ann)), is: [], "a scan")
        let none = try store.read { (transaction) throws(StorageError) in
            try transaction.values([])
        }
        try expect(none.count, is: 0, "a read of no keys")
        store.close()
    },
    Promise("aReadAnswersEachKeyInTheOrderAsked") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1"), Row("c", "3"), Row("b", "2")], in: ann)
        try store.put([Row("a", "other")], in: bob)
        let keys = [
            ann.key("c"), ann.key("missing"), bob.key("a"), ann.key("a"), ann.key("c"), ann.key(""),
            ann.key("b"), ann.key("aa"),
        ]
        let found = try store.read { (transaction) throws(StorageError) in
            try transaction.values(keys)
        }
        try expect(found.map(text), is: ["3", nil, "other", "1", "3", nil, "2", nil], "values")
        store.close()
    },
    Promise("moreKeysThanOneEngineCallTakesAreAllRead") { engine in
        let store = try engine.open()
        let names = (0..<5000).map { "p\($0)" }
        try store.put(names.map { Row($0, "value of \($0)") }, in: ann)
        var numbers = SeededNumbers(seed: 1)
        let asked = (0..<7000).map { _ in "p\(Int.random(in: 0..<6000, using: &numbers))" }
        let wanted = asked.map { Int($0.dropFirst())! < 5000 ? "value of \($0)" : nil }
        let read = try store.read { (transaction) throws(StorageError) in
            try transaction.values(asked.map(ann.key))
        }
        try expect(read.map(text), is: wanted, "values in a read")
        let written = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            try transaction.values(asked.map(ann.key))
        }
        try expect(written.map(text), is: wanted, "values in a write")
        store.close()
    },
    Promise("aQuestionWhetherRowsAreThereIsAnsweredForEachKey") { engine in
        let store = try engine.open()
        try store.put([Row("ka", "1"), Row("kc", ""), Row("k", "3"), Row("la", "4")], in: ann)
        try store.put((0..<900).map { Row("k\($0 * 2)", "") }, in: bob)
        let (user, others) = ("ann", ["a", "b", "c", "", "a", "missing"])
        let numbers = (0..<1_800).map { "\($0)" }
        let found = try store.read { (transaction) throws(StorageError) in
            Arena.temporary { arena in
                guard
                    var keys = StagedKeys(keys: 2_000, bytes: 40_000, in: arena),
                    let owner = arena.text(user), let other = arena.text("bob"),
                    let room = arena.allocate(2_000)
                else { preconditionFailure("an arena has room for the keys of a test") }
                for name in others {
                    keys.append(app: 1, owner, kind: 0x6B, arena.text(name) ?? Text())
                }
                for number in numbers {
                    keys.append(app: 1, other, kind: 0x6B, arena.text(number) ?? Text())
                }
                let areThere = room.bindMemory(to: Bool.self, capacity: keys.count)
                return Result { () throws(StorageError) in
                    try transaction.find(keys, areThere)
                    return Array(UnsafeBufferPointer(start: areThere, count: keys.count))
                }
            }
        }.get()
        let wanted = [true, false, true, true, true, false] + numbers.indices.map { $0 % 2 == 0 }
        try expect(found, is: wanted, "answers")
        store.close()
    },
    Promise("keysAndValuesAreBytesOfAnyKind") { engine in
        let store = try engine.open()
        let suffixes: [[UInt8]] = [
            [], [0], [0, 0], [0, 0xFF], [1], [0x7F], [0x80], [0xFE, 0xFF], [0xFF, 0], [0xFF, 0xFF],
        ]
        let partitions = [
            Partition(app: 0, name: [0xFE]), Partition(app: 0, name: [0xFE, 0xFF]),
            Partition(app: .max, name: [0xFF]),
        ]
        for partition in partitions {
            try store.put(suffixes.map { Row(suffix: $0, value: $0 + [0, 0xFF]) }, in: partition)
        }
        for partition in partitions {
            let values = try store.read { (transaction) throws(StorageError) in
                try transaction.values(suffixes.map { Key(partition, suffix: $0) })
            }
            try expect(values, is: suffixes.map { $0 + [0, 0xFF] }, "values")
            let whole = KeyRange(in: partition, from: [], to: [0xFF, 0xFF, 0])
            try expect(store.rows(whole).map(\.suffix), is: suffixes, "suffixes, ascending")
            try expect(
                store.rows(whole, .descending).map(\.suffix), is: suffixes.reversed(),
                "suffixes, descending")
        }
        store.close()
    },
    Promise("anEmptyValueIsARow") { engine in
        let store = try engine.open()
        try store.put([Row("a", "")], in: ann)
        try expect(store.text(ann.key("a")), is: "", "a read")
        try expect(store.rows(KeyRange(all: ann)), is: [Row("a", "")], "a scan")
        let inside = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(ann.key("b"), "")
            return (try transaction.text(ann.key("a")), try transaction.text(ann.key("b")))
        }
        try expect(inside.0, is: "", "a stored row in a write")
        try expect(inside.1, is: "", "a new row in a write")
        store.close()
    },
    Promise("aBigValueComesBackWhole") { engine in
        let store = try engine.open()
        var numbers = SeededNumbers(seed: 2)
        let big = (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        let key = ann.key("big")
        let inside = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(key, to: big)
            return try transaction.values([key])[0]
        }
        try expect(inside == big, is: true, "the value in its own write")
        let after = try store.read { (transaction) throws(StorageError) in
            try transaction.values([key])[0]
        }
        try expect(after == big, is: true, "the value afterwards")
        store.close()
        let again = try engine.open()
        let reopened = try again.read { (transaction) throws(StorageError) in
            try transaction.values([key])[0]
        }
        try expect(reopened == big, is: true, "the value after reopening")
        again.close()
    },
    Promise("whatWasCommittedIsThereAfterReopening") { engine in
        let first = try engine.open()
        try first.put([Row("a", "1"), Row("b", "2")], in: ann)
        try first.write(touching: [ann]) { $0.remove(ann.key("a")) }
        first.close()
        let second = try engine.open()
        try expect(second.rows(KeyRange(all: ann)), is: [Row("b", "2")], "rows")
        try second.put([Row("c", "3")], in: ann)
        second.close()
        let third = try engine.open()
        try expect(
            third.rows(KeyRange(all: ann)), is: [Row("b", "2"), Row("c", "3")], "rows")
        third.close()
    },
    Promise("aClosedStoreIsUnavailable") { engine in
        let store = try engine.open()
        store.close()
        store.close()
        var codes: [StorageError.Code] = []
        do throws(StorageError) {
            _ = try store.text(ann.key("a"))
        } catch {
            codes.append(error.code)
        }
        do throws(StorageError) {
            try store.put([Row("a", "1")], in: ann)
        } catch {
            codes.append(error.code)
        }
        try expect(codes, is: [.unavailable, .unavailable], "codes")
    },
]

private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
}
