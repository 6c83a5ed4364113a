internal import Dispatch
internal import Storage
internal import Synchronization

private let ann = Partition("ann")
private let bob = Partition("bob")

/// A store that waits for a moment only.
private func hasty(
    _ engine: any SharedEngine, writers: Int = 2
) throws(StorageError) -> any Store {
    try engine.open(
        SharedOptions {
            ($0.readers, $0.snapshots, $0.writers) = (1, 1, writers)
            $0.patienceMilliseconds = 200
        })
}

/// Waits until one transaction waits for a lock; fails if the side that is to wait is done.
func expectWaiting(
    _ engine: any SharedEngine, unless done: DispatchSemaphore
) throws(StorageError) {
    while try engine.waitingTransactions() != 1 {
        guard done.wait(timeout: .now()) == .timedOut else {
            throw StorageError(.failed, "the other side is done, and was not seen to wait")
        }
    }
}

/// The locks of partitions, among transactions of several processes.
let lockingPromises = [
    SharedPromise("writesOfOtherPartitionsRunBesideOneAnotherAndThoseOfTheSameWait") { engine in
        let store = try hasty(engine)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            return [
                code { () throws(StorageError) in try store.put([Row("a", "1")], in: bob) },
                code { () throws(StorageError) in try store.put([Row("a", "1")], in: ann) },
                // A transaction that names nothing may be about anything.
                code { () throws(StorageError) in
                    try store.write(touching: []) { $0.set(bob.key("b"), "1") }
                },
            ]
        }
        try expect(found, is: [nil, .unavailable, .unavailable], "bob, ann, all")
        try store.put([Row("a", "2")], in: ann)
        try expect(store.rows(KeyRange(all: bob)), is: [Row("a", "1")], "the rows of bob")
        store.close()
    },
    SharedPromise("aWriteThatNamesNothingKeepsAllOthersOut") { engine in
        let store = try hasty(engine)
        let found = try store.write(touching: []) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            return code { () throws(StorageError) in try store.put([Row("a", "1")], in: bob) }
        }
        try expect(found, is: .unavailable, "another write")
        try expect(store.rows(KeyRange(all: bob)), is: [], "what it wrote")
        store.close()
    },
    SharedPromise("aPartitionThatIsLockedLaterIsLocked") { engine in
        let store = try hasty(engine)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            try transaction.lock([bob])
            return code { () throws(StorageError) in try store.put([Row("a", "1")], in: bob) }
        }
        try expect(found, is: .unavailable, "another write")
        store.close()
    },
    SharedPromise("aWriteThatWaitsForNoneLeavesThoseAloneThatAnotherHas") { engine in
        let (one, other) = (try engine.open(), try engine.open())
        func refused() throws(StorageError) -> [Int] {
            try other.write(touching: [ann, bob], waiting: false) {
                (transaction) throws(StorageError) in
                _ = try transaction.text(bob.key("a"))
                transaction.set(bob.key("a"), "1")
                return transaction.hasWaited ? [-1] : transaction.refused
            }
        }
        let found = try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            // A transaction that changes something has ended when it is answered.
            transaction.set(ann.key("a"), "1")
            return try refused()
        }
        try expect(found, is: [0], "while another has it")
        try expect(refused(), is: [], "later")
        try expect(one.rows(KeyRange(all: bob)), is: [Row("a", "1")], "the rows")
        for store in [one, other] { store.close() }
    },
    SharedPromise("oneThatWaitsSeesWhatWasCommittedMeanwhileAndSaysThatItWaited") { engine in
        let (one, other) = (try engine.open(), try engine.open())
        let seen = Mutex<[String]>([])
        let done = DispatchSemaphore(value: 0)
        try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            transaction.set(ann.key("a"), "1")
            DispatchQueue.global().async {
                let found = try? other.write(touching: [ann]) {
                    (transaction) throws(StorageError) in
                    let text = try transaction.text(ann.key("a"))
                    transaction.set(ann.key("b"), text ?? "none")
                    return "\(text ?? "none") \(transaction.hasWaited)"
                }
                seen.withLock { $0.append(found ?? "an error") }
                done.signal()
            }
            try expectWaiting(engine, unless: done)
        }
        done.wait()
        try expect(seen.withLock { $0 }, is: ["1 true"], "what it saw")
        try expect(one.text(ann.key("b")), is: "1", "what it wrote")
        for store in [one, other] { store.close() }
    },
    SharedPromise("aWriteThatWaitsKeepsNoOtherOut") { engine in
        let store = try engine.open()
        let release = try engine.takeLock(of: ann)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            try? store.put([Row("a", "1")], in: ann)
            done.signal()
        }
        try expectWaiting(engine, unless: done)
        try store.put([Row("b", "1")], in: bob)
        try store.write(touching: []) { $0.set(bob.key("c"), "1") }
        try expect(store.rows(KeyRange(all: bob)).count, is: 2, "the rows of others")
        try expect(store.rows(KeyRange(all: ann)).count, is: 0, "the row that waits")
        release()
        done.wait()
        try expect(store.rows(KeyRange(all: ann)), is: [Row("a", "1")], "the row in the end")
        store.close()
    },
    SharedPromise("aWriteThatIsGivenUpGetsNoLockLater") { engine in
        func open(_ patience: Int) throws(StorageError) -> any Store {
            try engine.open(SharedOptions { $0.patienceMilliseconds = patience })
        }
        let (brief, store, other) = (try open(1_500), try open(2_000), try open(2_000))
        let release = try engine.takeLock(of: bob)
        let found = code { () throws(StorageError) in
            try store.write(touching: [ann]) { (transaction) throws(StorageError) in
                _ = try transaction.text(ann.key("a"))
                // This takes a part of the time of the write. So the write is given up before the
                // database gives its next statement up.
                _ = code { () throws(StorageError) in try brief.put([Row("a", "1")], in: bob) }
                try transaction.lock([bob])
            }
        }
        try expect(found, is: .unavailable, "the write")
        release()
        try other.put([Row("a", "2")], in: ann)
        try expect(other.rows(KeyRange(all: ann)), is: [Row("a", "2")], "the row of another one")
        for store in [brief, store, other] { store.close() }
    },
    SharedPromise("twoThatWaitForOneAnotherBothEnd") { engine in
        let stores = [try engine.open(), try engine.open()]
        let begun = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let faults = Mutex<[String]>([])
        let runs = Mutex([0, 0])
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            let (first, second) = number == 0 ? (ann, bob) : (bob, ann)
            do throws(StorageError) {
                try stores[number].write(touching: [first]) { (transaction) throws(StorageError) in
                    let run = runs.withLock { runs in
                        runs[number] += 1
                        return runs[number]
                    }
                    _ = try transaction.text(first.key("a"))
                    if run == 1 {
                        begun[number].signal()
                        begun[1 - number].wait()
                    }
                    try transaction.lock([second])
                    for partition in [ann, bob] {
                        let count = Int(try transaction.text(partition.key("n")) ?? "0") ?? -1
                        transaction.set(partition.key("n"), "\(count + 1)")
                    }
                }
            } catch {
                faults.withLock { $0.append("\(error)") }
            }
        }
        try expect(faults.withLock { $0 }, is: [], "faults")
        try expect(runs.withLock { $0.reduce(0, +) } > 2, is: true, "one ran again")
        for partition in [ann, bob] {
            try expect(stores[0].text(partition.key("n")), is: "2", "the count")
        }
        for store in stores { store.close() }
    },
    SharedPromise("writersOfSeveralProcessesLoseNoUpdate") { engine in
        let stores = try (0..<3).map { _ in try engine.open() }
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            let store = stores[thread % 3]
            do throws(StorageError) {
                for round in 0..<20 {
                    let partitions = round % 7 == 6 ? [] : [ann, bob]
                    try store.write(touching: partitions) { (transaction) throws(StorageError) in
                        let count = Int(try transaction.text(ann.key("n")) ?? "0") ?? -1
                        transaction.set(ann.key("n"), "\(count + 1)")
                        transaction.set(bob.key("n"), "\(count + 1)")
                    }
                }
            } catch {
                faults.withLock { $0.append("\(error)") }
            }
        }
        try expect(faults.withLock { $0 }, is: [], "faults")
        try expect(stores[0].text(ann.key("n")), is: "120", "the count")
        try expect(stores[1].text(bob.key("n")), is: "120", "the other count")
        for store in stores { store.close() }
    },
    SharedPromise("aReaderASnapshotAndAWriterTooManyAreUnavailable") { engine in
        let store = try hasty(engine, writers: 1)
        let reader = try store.read { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            return code { () throws(StorageError) in _ = try store.text(ann.key("a")) }
        }
        try expect(reader, is: .unavailable, "a second reader")
        try expect(store.text(ann.key("a")), is: nil, "the connection came back")
        let snapshot = try store.snapshot()
        let second = code { () throws(StorageError) in _ = try store.snapshot() }
        try expect(second, is: .unavailable, "a second snapshot")
        snapshot.close()
        try store.snapshot().close()
        let writer = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            return code { () throws(StorageError) in try store.put([Row("a", "1")], in: bob) }
        }
        try expect(writer, is: .unavailable, "a second writer")
        store.close()
        let closed = code { () throws(StorageError) in _ = try store.text(ann.key("a")) }
        try expect(closed, is: .unavailable, "a closed store")
    },
]
