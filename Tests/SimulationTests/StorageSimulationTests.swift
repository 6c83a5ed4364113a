import Foundation
import PostgresSupport
import Storage
import StoragePostgres
import StorageRocks
import StorageSuite
import Testing

/// Runs the same random histories on the model and on each engine, and compares each answer.
///
/// With `RELATION_SEED=n` only that history runs. Otherwise the same seeds run each time, and one
/// more, which is new each time and printed.
@Suite struct StorageSimulationTests {
    static let seeds: [UInt64] = {
        if let text = ProcessInfo.processInfo.environment["RELATION_SEED"] {
            return [UInt64(text) ?? 0]
        }
        let new = UInt64.random(in: 1000..<1_000_000_000)
        print("storage simulation: RELATION_SEED=\(new) repeats the new history of this run")
        return Array(1...8) + [new]
    }()

    @Test(arguments: seeds)
    func theEngineAnswersAsTheModelDoes(_ seed: UInt64) throws {
        try compare(
            seed,
            FolderEngine("rocks") { (path) throws(StorageError) in
                try RocksStore(folder: path, .small)
            })
    }

    @Test(.enabled(if: PostgresEngine.isThere), arguments: seeds)
    func theDatabaseAnswersAsTheModelDoes(_ seed: UInt64) throws {
        try compare(seed, try PostgresEngine())
    }

    private func compare(_ seed: UInt64, _ engine: any Engine) throws {
        let model = Runner(MemoryEngine())
        let other = Runner(engine)
        var history = StorageHistory(seed: seed)
        for number in 0..<200 {
            let step = history.next()
            let wanted = try model.run(step)
            let found = try other.run(step)
            try #require(found.count == wanted.count, "seed \(seed), step \(number)")
            for (index, pair) in zip(found, wanted).enumerated() {
                try #require(
                    pair.0 == pair.1, "RELATION_SEED=\(seed), step \(number), answer \(index)")
            }
        }
        let rows = try model.allRows()
        #expect(try other.allRows() == rows, "RELATION_SEED=\(seed), the rows at the end")
        #expect(!rows.isEmpty, "RELATION_SEED=\(seed) wrote nothing")
        model.close()
        other.close()
    }
}

/// Runs steps on one engine.
private final class Runner {
    private let engine: any Engine
    private var store: (any Store)?

    init(_ engine: any Engine) {
        self.engine = engine
    }

    func run(_ step: StorageStep) throws(StorageError) -> [StorageAnswer] {
        let store = try open()
        switch step {
        case .reopen:
            close()
            return []
        case .read(let actions):
            return try store.read { (transaction) throws(StorageError) in
                var answers: [StorageAnswer] = []
                for action in actions {
                    if let answer = try Runner.read(action, transaction) { answers.append(answer) }
                }
                return answers
            }
        case .write(let actions, let fails):
            var answers: [StorageAnswer] = []
            do throws(StorageError) {
                try store.write(touching: []) { (transaction) throws(StorageError) in
                    answers = try Runner.change(actions, transaction)
                    if fails { throw StorageError(.conflict, "on purpose") }
                }
            } catch {
                answers.append(.failed(error.code))
            }
            return answers
        }
    }

    /// The rows of every partition that a history uses, one after another.
    func allRows() throws(StorageError) -> [Row] {
        let store = try open()
        var rows: [Row] = []
        for partition in StorageHistory.partitions {
            rows += try store.rows(KeyRange(all: partition))
        }
        return rows
    }

    func close() {
        (store as? MemoryStore)?.checkInvariants()
        store?.close()
        store = nil
    }

    private func open() throws(StorageError) -> any Store {
        if let store { return store }
        let opened = try engine.open()
        store = opened
        return opened
    }

    private static func change(
        _ actions: [StorageStep.Action], _ transaction: any WriteTransaction
    ) throws(StorageError) -> [StorageAnswer] {
        var answers: [StorageAnswer] = []
        var savepoints: [Savepoint] = []
        for action in actions {
            switch action {
            case .set(let key, let value): transaction.set(key, to: value)
            case .remove(let key): transaction.remove(key)
            case .prefetch(let keys): try transaction.prefetch(KeyList(keys))
            case .savepoint: savepoints.append(transaction.savepoint())
            case .rollback(let index):
                transaction.rollback(to: savepoints[index])
                savepoints.removeLast(savepoints.count - 1 - index)
            case .read, .scan:
                if let answer = try read(action, transaction) { answers.append(answer) }
            }
        }
        (transaction as? RocksWriteTransaction)?.checkInvariants()
        (transaction as? PostgresWriteTransaction)?.checkInvariants()
        return answers
    }

    private static func read(
        _ action: StorageStep.Action, _ transaction: any ReadTransaction
    ) throws(StorageError) -> StorageAnswer? {
        switch action {
        case .read(let keys): .values(try transaction.values(keys))
        case .scan(let range, let order, let limit):
            .rows(try transaction.rows(range, order, limit: limit))
        default: nil
        }
    }
}
