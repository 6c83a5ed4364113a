internal import Dispatch
internal import Storage
internal import Synchronization

private let ann = Partition("ann")
private let bob = Partition("bob")

let sharingPromises = [
    Promise("aReadSeesOneStateFromItsFirstRowToItsLast") { engine in
        let store = try engine.open()
        try store.put([Row("a", "old"), Row("b", "old")], in: ann)
        let found = try store.read { (transaction) throws(StorageError) in
            let first = try transaction.text(ann.key("a"))
            // A write may come between two reads of one transaction, even from its own thread.
            try store.put([Row("a", "new"), Row("b", "new"), Row("c", "new")], in: ann)
            return [
                first, try transaction.text(ann.key("a")), try transaction.text(ann.key("b")),
                try transaction.text(ann.key("c")),
                "\(try transaction.rows(KeyRange(all: ann)).count)",
            ]
        }
        try expect(found, is: ["old", "old", "old", nil, "2"], "inside")
        try expect(store.rows(KeyRange(all: ann)).count, is: 3, "afterwards")
        store.close()
    },
    Promise("aReadBegunInsideAWriteSeesNothingOfIt") { engine in
        let store = try engine.open()
        try store.put([Row("a", "old")], in: ann)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(ann.key("a"), "new")
            return try store.text(ann.key("a"))
        }
        try expect(found, is: "old", "before the commit")
        try expect(store.text(ann.key("a")), is: "new", "after it")
        store.close()
    },
    Promise("readersBesideAWriterNeverSeeHalfAWrite") { engine in
        let store = try engine.open()
        let rounds = 300
        let errors = Mutex<[String]>([])
        let isDone = Atomic<Bool>(false)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do throws(StorageError) {
                if thread == 0 {
                    defer { isDone.store(true, ordering: .releasing) }
                    for round in 1...rounds {
                        try store.write(touching: [ann, bob]) { transaction in
                            transaction.set(ann.key("n"), "\(round)")
                            transaction.set(bob.key("n"), "\(round)")
                            transaction.set(ann.key("row \(round)"), "")
                        }
                    }
                    return
                }
                var last = 0
                while !isDone.load(ordering: .acquiring) {
                    let seen = try store.read { (transaction) throws(StorageError) in
                        (
                            try transaction.text(ann.key("n")),
                            try transaction.rows(KeyRange(ann, "row", "rox")).count,
                            try transaction.text(bob.key("n"))
                        )
                    }
                    let number = Int(seen.0 ?? "0") ?? -1
                    if seen.0 != seen.2 || seen.1 != number || number < last {
                        errors.withLock { $0.append("\(seen) after \(last)") }
                    }
                    last = number
                }
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        try expect(errors.withLock { $0 }, is: [], "faults")
        try expect(store.text(bob.key("n")), is: "\(rounds)", "the last write")
        store.close()
    },
    Promise("writersTakeTurnsAndLoseNoUpdate") { engine in
        let store = try engine.open()
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do throws(StorageError) {
                for _ in 0..<50 {
                    try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                        let count = Int(try transaction.text(ann.key("n")) ?? "0") ?? -1
                        transaction.set(ann.key("n"), "\(count + 1)")
                    }
                }
            } catch {
                errors.withLock { $0.append("\(error)") }
            }
        }
        try expect(errors.withLock { $0 }, is: [], "faults")
        try expect(store.text(ann.key("n")), is: "200", "the count")
        store.close()
    },
    Promise("aSnapshotStaysAsItIsUntilItIsClosed") { engine in
        let store = try engine.open()
        try store.put([Row("a", "old"), Row("b", "old")], in: ann)
        let snapshot = try store.snapshot()
        try store.put([Row("a", "new"), Row("c", "new")], in: ann)
        let later = try store.snapshot()
        try store.write(touching: [ann]) { transaction in transaction.remove(ann.key("b")) }
        func rows(_ snapshot: any Snapshot) throws(StorageError) -> [Row] {
            try snapshot.read { (transaction) throws(StorageError) in
                // A read of a single key finds them too.
                let text = try transaction.text(ann.key("b"))
                return try transaction.rows(KeyRange(all: ann)) + [Row("b", text ?? "none")]
            }
        }
        let again = Row("b", "old")
        for _ in 0..<2 {
            try expect(rows(snapshot), is: [Row("a", "old"), Row("b", "old"), again], "the first")
            try expect(
                rows(later), is: [Row("a", "new"), Row("b", "old"), Row("c", "new"), again],
                "the second")
            try expect(
                store.rows(KeyRange(all: ann)), is: [Row("a", "new"), Row("c", "new")], "now")
        }
        snapshot.close()
        snapshot.close()
        var code: StorageError.Code?
        do throws(StorageError) { _ = try rows(snapshot) } catch { code = error.code }
        try expect(code, is: .unavailable, "a closed snapshot")
        try expect(rows(later).count, is: 4, "the other one")
        later.close()
        store.close()
    },
    Promise("aReadThatReachesMemoryAnswersOrSaysThatItCannot") { engine in
        var store = try engine.open()
        try store.put((0..<100).map { Row("\($0)", "row") }, in: ann)
        store.close()
        store = try engine.open()
        func count(_ reach: Reach) throws(StorageError) -> Int? {
            do throws(StorageError) {
                return try store.read(reaching: reach) { (transaction) throws(StorageError) in
                    guard try transaction.text(ann.key("7")) == "row" else { return 0 }
                    return try transaction.rows(KeyRange(all: ann)).count
                }
            } catch  where error.code == .notInMemory {
                return nil
            }
        }
        let found = try count(.memory)
        try expect(found ?? 100, is: 100, "what is in memory")
        try expect(count(.disk), is: 100, "what is on disk")
        // The rows that were read are in memory now; a store behind a network keeps none.
        try expect(count(.memory) ?? 0, is: store.isLocal ? 100 : 0, "what was read")
        store.close()
    },
]
