internal import Storage

private let ann = Partition("ann")

/// Sessions that end, and a database that goes back.
let sessionPromises = [
    SharedPromise("connectionsThatBrokeWhileTheyWereIdleFailNothing") { engine in
        let store = try engine.open()
        try store.put([Row("a", "0")], in: ann)
        for round in 1...3 {
            let snapshots = try (0..<3).map { _ throws(StorageError) in try store.snapshot() }
            for snapshot in snapshots { snapshot.close() }
            try engine.endSessions()
            try store.put([Row("a", "\(round)")], in: ann)
            try engine.endSessions()
            let snapshot = try store.snapshot()
            let seen = try snapshot.read { (found) throws(StorageError) in
                try found.text(ann.key("a"))
            }
            try expect(seen, is: "\(round)", "a snapshot")
            snapshot.close()
            try engine.endSessions()
            try expect(store.text(ann.key("a")), is: "\(round)", "a read")
        }
        store.close()
    },
    SharedPromise("aTransactionWhoseSessionEndedRunsAgain") { engine in
        let store = try engine.open()
        try store.put([Row("n", "1")], in: ann)
        var runs = 0
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            runs += 1
            let count = Int(try transaction.text(ann.key("n")) ?? "0") ?? -1
            transaction.set(ann.key("n"), "\(count + 1)")
            if runs == 1 { try engine.endSessions() }
        }
        try expect(runs, is: 2, "how often it ran")
        try expect(store.text(ann.key("n")), is: "2", "the count")
        store.close()
    },
    SharedPromise("aSnapshotWhoseSessionEndedIsLost") { engine in
        let store = try engine.open()
        try store.put([Row("a", "1")], in: ann)
        let snapshot = try store.snapshot()
        try engine.endSessions()
        let found = code { () throws(StorageError) in
            try snapshot.read { (found) throws(StorageError) in _ = try found.text(ann.key("a")) }
        }
        try expect(found, is: .unavailable, "a read")
        try expect(snapshot.isLost, is: true, "the snapshot is lost")
        snapshot.close()
        store.close()
    },
    SharedPromise("aCommitThatIsRefusedWritesNothingAndTheNextOneIsMade") { engine in
        let store = try engine.open()
        try engine.refuseCommits(true)
        for _ in 0..<2 {
            let found = code { () throws(StorageError) in try store.put([Row("a", "1")], in: ann) }
            try expect(found, is: .failed, "the commit")
        }
        try engine.refuseCommits(false)
        try expect(store.rows(KeyRange(all: ann)), is: [], "the rows")
        try store.put([Row("a", "2")], in: ann)
        try expect(store.rows(KeyRange(all: ann)), is: [Row("a", "2")], "the rows later")
        store.close()
    },
    SharedPromise("aDatabaseThatLostDataIsServedNoMore") { engine in
        let store = try engine.open()
        try peers(store).renew(knowing: 1)
        try store.put([Row("a", "1")], in: ann)
        let goBack = try engine.keepState()
        try store.put([Row("a", "2")], in: ann)
        try peers(store).renew(knowing: 1)
        try goBack()
        // This write may be sent as a whole, on a connection whose end is not known yet.
        let first = code { () throws(StorageError) in try store.put([Row("a", "3")], in: ann) }
        try expect(
            first == .lostData || first == .outcomeUnknown, is: true,
            "the first write has the error \(first.map { "\($0)" } ?? "none")")
        for found in [
            code { () throws(StorageError) in _ = try store.text(ann.key("a")) },
            code { () throws(StorageError) in try store.put([Row("a", "3")], in: ann) },
            code { () throws(StorageError) in try peers(store).renew(knowing: 1) },
        ] { try expect(found, is: .lostData, "all later") }
        // Another process has seen nothing of what is lost.
        let anew = try engine.open()
        try expect(anew.text(ann.key("a")), is: "1", "the row")
        try peers(anew).renew(knowing: 1)
        for store in [store, anew] { store.close() }
    },
    SharedPromise("theStoreTellsTheTimeAndAProcessThatLearnedOfALossServesNoMore") { engine in
        let store = try engine.open()
        let time = try peers(store).checkTables()
        try expect(peers(store).checkTables() >= time, is: true, "the time goes on")
        peers(store).noteRollback()
        let found = code { () throws(StorageError) in try peers(store).renew(knowing: 1) }
        try expect(found, is: .lostData, "a renewal")
        store.close()
    },
]
