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
        let faults = Mutex<[String]>([])
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
                        faults.withLock { $0.append("\(seen) after \(last)") }
                    }
                    last = number
                }
            } catch {
                faults.withLock { $0.append("\(error)") }
            }
        }
        try expect(faults.withLock { $0 }, is: [], "faults")
        try expect(store.text(bob.key("n")), is: "\(rounds)", "the last write")
        store.close()
    },
    Promise("writersTakeTurnsAndLoseNoUpdate") { engine in
        let store = try engine.open()
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            do throws(StorageError) {
                for _ in 0..<50 {
                    try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                        let count = Int(try transaction.text(ann.key("n")) ?? "0") ?? -1
                        transaction.set(ann.key("n"), "\(count + 1)")
                    }
                }
            } catch {
                faults.withLock { $0.append("\(error)") }
            }
        }
        try expect(faults.withLock { $0 }, is: [], "faults")
        try expect(store.text(ann.key("n")), is: "200", "the count")
        store.close()
    },
]
