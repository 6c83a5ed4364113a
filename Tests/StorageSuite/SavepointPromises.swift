internal import Storage

private let ann = Partition("ann")
private let all = KeyRange(all: ann)

let savepointPromises = [
    Promise("aRollbackUndoesWhatCameAfterItsSavepoint") { engine in
        let store = try engine.open()
        try store.put([Row("a", "0"), Row("b", "0"), Row("c", "0")], in: ann)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            transaction.set(ann.key("a"), "1")
            transaction.remove(ann.key("b"))
            let savepoint = transaction.savepoint()
            let before = try transaction.rows(all)
            transaction.set(ann.key("a"), "2")
            transaction.set(ann.key("b"), "2")
            transaction.remove(ann.key("c"))
            transaction.set(ann.key("d"), "2")
            let during = try transaction.rows(all)
            transaction.rollback(to: savepoint)
            return [
                before, during, try transaction.rows(all),
                try transaction.rows(all, .descending).reversed(),
            ]
        }
        let kept = [Row("a", "1"), Row("c", "0")]
        let changed = [Row("a", "2"), Row("b", "2"), Row("d", "2")]
        try expect(found, is: [kept, changed, kept, kept], "inside")
        try expect(store.rows(all), is: kept, "afterwards")
        store.close()
    },
    Promise("aReadAfterARollbackSeesTheOldRow") { engine in
        let store = try engine.open()
        try store.put([Row("a", "0"), Row("b", "0")], in: ann)
        let keys = ["a", "b", "c", "d"].map(ann.key)
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            // One key was read before it is changed, the others were not.
            _ = try transaction.text(keys[0])
            let savepoint = transaction.savepoint()
            for key in keys { transaction.set(key, "1") }
            transaction.rollback(to: savepoint)
            let first = try keys.map { (key) throws(StorageError) in try transaction.text(key) }
            for key in keys { transaction.remove(key) }
            transaction.rollback(to: savepoint)
            return [
                first, try keys.map { (key) throws(StorageError) in try transaction.text(key) },
            ]
        }
        try expect(found, is: [["0", "0", nil, nil], ["0", "0", nil, nil]], "inside")
        try expect(store.rows(all), is: [Row("a", "0"), Row("b", "0")], "afterwards")
        store.close()
    },
    Promise("savepointsNest") { engine in
        let store = try engine.open()
        let key = ann.key("a")
        let found = try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            var savepoints: [Savepoint] = []
            for number in 0..<5 {
                savepoints.append(transaction.savepoint())
                transaction.set(key, "\(number)")
                transaction.set(ann.key("b\(number)"), "x")
            }
            var found: [String?] = []
            for index in [4, 2, 2, 1, 0] {
                transaction.rollback(to: savepoints[index])
                found.append(try transaction.text(key))
                found.append("\(try transaction.rows(all).count)")
            }
            transaction.set(key, "end")
            return found
        }
        try expect(
            found, is: ["3", "5", "1", "3", "1", "3", "0", "2", nil, "0"], "values and counts")
        try expect(store.rows(all), is: [Row("a", "end")], "afterwards")
        store.close()
    },
    Promise("oneOperationOfABatchRollsBackAlone") { engine in
        let store = try engine.open()
        try store.put([Row("count", "0")], in: ann)
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            for operation in 0..<64 {
                let savepoint = transaction.savepoint()
                let count = Int(try transaction.text(ann.key("count")) ?? "") ?? -1
                transaction.set(ann.key("count"), "\(count + 1)")
                transaction.set(ann.key("operation \(operation)"), "done")
                if operation % 3 == 0 { transaction.rollback(to: savepoint) }
            }
        }
        try expect(store.text(ann.key("count")), is: "42", "the count")
        try expect(store.rows(KeyRange(ann, "o", "p")).count, is: 42, "the rows counted")
        try expect(store.text(ann.key("operation 3")), is: nil, "one rolled back")
        store.close()
    },
    Promise("aWriteRolledBackToItsStartChangesNothing") { engine in
        let store = try engine.open()
        try store.put([Row("a", "0")], in: ann)
        try store.write(touching: [ann]) { (transaction) throws(StorageError) in
            let start = transaction.savepoint()
            transaction.set(ann.key("a"), "1")
            transaction.set(ann.key("b"), "1")
            transaction.rollback(to: start)
        }
        try expect(store.rows(all), is: [Row("a", "0")], "rows")
        store.close()
    },
]
