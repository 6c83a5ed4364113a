internal import Dispatch
internal import Storage
internal import Synchronization

private let ann = Partition("ann")
private let bob = Partition("bob")
private let hour = 3_600_000

/// A store whose lease is good by its own clock, which stands still.
private func leased(
    _ engine: any SharedEngine, patience: Int = 10_000
) throws -> any Store {
    let store = try engine.open(
        SharedOptions {
            $0.lease = Lease { 1_000_000_000 }
            $0.patienceMilliseconds = patience
        })
    let isGood = try (0..<2).map { _ throws(StorageError) in
        try peers(store).renew(knowing: 1)
    }
    try expect(isGood, is: [false, true], "the second renewal makes the lease good")
    return store
}

/// The leases of the processes that share a store.
let leasingPromises = [
    SharedPromise("aCommitWithoutTheLeaseIsRefused") { engine in
        for another in [false, true] {
            let store = try leased(engine, patience: 300)
            try store.put([Row("a", "1")], in: ann)
            // The process does not know, as if it had been stopped just before its commit.
            if another {
                try engine.renewLeasesElsewhere()
            } else {
                try engine.moveLeases(milliseconds: -hour)
            }
            let found = code { () throws(StorageError) in try store.put([Row("a", "2")], in: ann) }
            try expect(found, is: .unavailable, "another lease: \(another)")
            try expect(store.text(ann.key("a")), is: "1", "another lease: \(another)")
            store.close()
        }
    },
    SharedPromise("aProcessThatNeverTookALeaseMayWrite") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        try expect(store.text(ann.key("a")), is: "1", "the row")
        store.close()
    },
    SharedPromise("aLeaseThatRanOutIsFollowedByAnother") { engine in
        let store = try leased(engine)
        try expect(peers(store).lease.tenure, is: 1, "the first lease")
        try engine.moveLeases(milliseconds: -hour)
        try expect(peers(store).renew(knowing: 1), is: false, "the first renewal")
        try expect(peers(store).renew(knowing: 1), is: true, "the second one")
        store.close()
    },
    SharedPromise("aRenewalWaitsForOneThatIsUnderWayAndFollowsIt") { engine in
        for isCommitted in [true, false] {
            let store = try leased(engine)
            let end = try engine.beginRenewal()
            let found = Mutex<StorageError.Code?>(nil)
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                let failure = code { () throws(StorageError) in
                    try peers(store).renew(knowing: 1)
                }
                found.withLock { $0 = failure }
                done.signal()
            }
            try expectWaiting(engine, unless: done)
            end(isCommitted)
            done.wait()
            // Its view is older than a renewal that was committed meanwhile.
            try expect(
                found.withLock { $0 }, is: isCommitted ? .conflict : nil,
                "the other one is committed: \(isCommitted)")
            try expect(peers(store).renew(knowing: 1), is: true, "the next renewal")
            store.close()
        }
    },
    SharedPromise("theRegistryIsReadInTheTransactionThatRenews") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        let seen = Mutex<[String?]>([])
        _ = try peers(store).renew { (transaction) throws(StorageError) in
            let first = try transaction.text(ann.key("a"))
            try store.put([Row("a", "2")], in: ann)
            let second = try transaction.text(ann.key("a"))
            seen.withLock { $0 = [first, second] }
            return 7
        }
        try expect(seen.withLock { $0 }, is: ["1", "1"], "one view")
        let found = code { () throws(StorageError) in
            _ = try peers(store).renew { (_) throws(StorageError) in
                throw StorageError(.failed, "")
            }
        }
        try expect(found, is: .failed, "the error of the reader")
        // Nothing is left of it.
        _ = try peers(store).renew(knowing: 7)
        store.close()
    },
    SharedPromise("aProcessWithoutALeaseHoldsUpNoOther") { engine in
        for waiting in ["a partition", "another partition", "all", "a change of the registry"] {
            let stopped = try leased(engine, patience: 300)
            let other = try engine.open()
            let faults = Mutex<[StorageError.Code?]>([])
            let ended = code { () throws(StorageError) in
                try stopped.write(touching: [ann]) { (transaction) throws(StorageError) in
                    _ = try transaction.text(ann.key("a"))
                    transaction.set(ann.key("a"), "stopped")
                    try engine.moveLeases(milliseconds: -hour)
                    let found = code { () throws(StorageError) in
                        switch waiting {
                        case "a partition": try other.put([Row("a", "other")], in: ann)
                        case "another partition": try other.put([Row("a", "other")], in: bob)
                        case "all":
                            try other.write(touching: []) { $0.set(ann.key("a"), "other") }
                        default: peers(other).settle(2, byThisProcessToo: false)
                        }
                    }
                    faults.withLock { $0.append(found) }
                }
            }
            // It may have run twice.
            let found = faults.withLock { $0 }
            try expect(found.count { $0 != nil }, is: 0, "one that waits for \(waiting)")
            try expect(ended, is: .unavailable, "the one that stopped, \(waiting)")
            let isWritten = try other.text(ann.key("a")) == "stopped"
            try expect(isWritten, is: false, "what it would have written")
            for store in [stopped, other] {
                peers(store).releaseLease()
                store.close()
            }
        }
    },
    SharedPromise("aProcessWithALeaseIsWaitedFor") { engine in
        let one = try leased(engine)
        let other = try engine.open(SharedOptions { $0.patienceMilliseconds = 1_500 })
        try engine.moveLeases(milliseconds: hour)
        let found = try one.write(touching: [ann]) { (transaction) throws(StorageError) in
            _ = try transaction.text(ann.key("a"))
            transaction.set(ann.key("a"), "1")
            // It looks for those without a lease meanwhile, and finds none.
            return code { () throws(StorageError) in try other.put([Row("a", "2")], in: ann) }
        }
        try expect(found, is: .unavailable, "the one that waits")
        try expect(one.text(ann.key("a")), is: "1", "the row")
        for store in [one, other] { store.close() }
    },
    SharedPromise("oneProcessOfAllDoesTheUpkeep") { engine in
        let stores = try (0..<3).map { _ throws(StorageError) in try engine.open() }
        /// Renews the lease while no other one runs out, however slow the machine is.
        func renew(_ store: any Store) throws(StorageError) {
            try engine.moveLeases(milliseconds: hour)
            try peers(store).renew(knowing: 1)
        }
        try expect(stores.filter { peers($0).doesUpkeep }.count, is: 0, "no lease yet")
        try renew(stores[0])
        try expect(peers(stores[0]).doesUpkeep, is: true, "the first one")
        // In the second round each knows of all others.
        for _ in 0..<2 { for store in stores { try renew(store) } }
        try expect(stores.filter { peers($0).doesUpkeep }.count, is: 1, "of three")
        try expect(stores.map { peers($0).processCount }, is: [3, 3, 3], "the count")
        let first = stores.firstIndex { peers($0).doesUpkeep } ?? 0
        peers(stores[first]).releaseLease()
        let rest = stores.indices.filter { $0 != first }
        for index in rest { try renew(stores[index]) }
        try expect(rest.filter { peers(stores[$0]).doesUpkeep }.count, is: 1, "of two")
        try expect(rest.map { peers(stores[$0]).processCount }, is: [2, 2], "the count of two")
        for store in stores { store.close() }
    },
    SharedPromise("aChangeOfTheRegistryIsSettledWhenEachLeaseKnowsIt") { engine in
        let stores = [try leased(engine), try leased(engine)]
        try engine.moveLeases(milliseconds: hour)
        for store in stores { try peers(store).renew(knowing: 5) }
        // It returns at once: each lease has the version.
        peers(stores[0]).settle(5, byThisProcessToo: false)
        // One that knows less is waited for until its process relies on it no more, whatever the
        // clock of the store says.
        try engine.moveLeases(milliseconds: -3 * hour)
        peers(stores[0]).settle(6, byThisProcessToo: false)
        for store in stores { store.close() }
    },
]
