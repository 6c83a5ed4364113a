import RelationModel
import RelationSuite
import Storage
import StorageSuite
import Synchronization

@testable import RelationCore
@testable import RelationRuntime

/// Two databases, and servers that write rows of an app in whichever serves it.
///
/// `@unchecked Sendable`: each test uses it on one thread.
final class MovedApp: @unchecked Sendable {
    static let id: UInt32 = 7
    /// An app whose numbers are beside the other's: none of its rows moves.
    static let other: UInt32 = 8

    let source = MemoryStore()
    let target = MemoryStore()
    let noted = NotedChanges()
    private var numbers: SeededNumbers
    /// The rows that the app's callers know of.
    private(set) var model: [Key: [UInt8]] = [:]
    private(set) var refused = 0
    /// Called before each step of a mover.
    var onStep: () throws -> Void = {}
    private var time: Int64 = 0
    /// How many movers there were.
    private var movers: UInt64 = 0

    init(seed: UInt64, rows: Int = 60) throws {
        numbers = SeededNumbers(seed: seed)
        for (store, ids) in [(source, [Self.id, Self.other]), (target, [Self.other])] {
            try store.write(touching: []) { (transaction) throws(StorageError) in
                for id in ids {
                    let ledger = Ledger(
                        app: .registry, now: now, origin: Origin(user: nil),
                        transaction: transaction)
                    var making = AppRules.Making()
                    making.id = id
                    _ = try AppRules.create(making, in: ledger)
                    try ledger.close()
                    transaction.set(Self.key(id, 0), to: [UInt8(id)])
                }
            }
        }
        model = try self.rows(of: source)
        for _ in 0..<rows { try call() }
        // Work that waits moves too.
        try source.write(touching: []) { (transaction) throws(StorageError) in
            var job = MovedJobRecord()
            (job.number, job.userID) = (5, "gone")
            var erasure = job
            (erasure.number, erasure.erases) = (6, true)
            try Jobs.give([job, erasure], to: Self.id, in: transaction)
            try Jobs.raise(to: 6, in: transaction)
        }
    }

    var now: Timestamp { Timestamp(milliseconds: World.start) }

    static func key(_ app: UInt32, _ number: UInt8) -> Key {
        Key(Partition(app: app, name: "user\(number % 9)".utf8), suffix: [0x01, number])
    }

    /// One call of the app: a server writes a row where the app is served.
    func call() throws {
        let isThere = try isActive(in: source)
        guard try isThere || isActive(in: target) else {
            refused += 1
            return
        }
        let key = Self.key(Self.id, UInt8.random(in: 0..<200, using: &numbers))
        let value: [UInt8]? =
            Bool.random(using: &numbers) ? [.random(in: 0 ... .max, using: &numbers)] : nil
        let store = isThere ? source : target
        try store.write(touching: []) { (transaction) throws(StorageError) in
            if let value { transaction.set(key, to: value) } else { transaction.remove(key) }
        }
        model[key] = value
        if isThere { noted.note(key) }
    }

    /// One change of the app's source.
    func change(_ key: Key, to value: [UInt8]) throws {
        try source.write(touching: []) { (transaction) throws(StorageError) in
            transaction.set(key, to: value)
        }
        model[key] = value
        noted.note(key)
    }

    func isActive(in store: MemoryStore) throws -> Bool {
        try store.read { (transaction) throws(StorageError) in
            try AppRules.active(in: transaction)?.contains { $0.id == Self.id } ?? false
        }
    }

    func rows(of store: MemoryStore) throws -> [Key: [UInt8]] {
        var rows: [Key: [UInt8]] = [:]
        try store.read { (transaction) throws(StorageError) in
            try transaction.scan(
                KeyRange(app: Self.id, afterKey: []), .ascending, limit: .max
            ) { key, value in
                if let key = Key(scanned: key) { rows[key] = Array(value) }
                return .more
            }
        }
        return rows
    }

    func move(in store: MemoryStore) throws -> AppMoveRecord? {
        try store.read { (transaction) throws(StorageError) in
            try MovedApps.record(of: Self.id, in: transaction)
        }
    }

    /// The numbers of the work that waits, of all apps.
    func jobs(of store: MemoryStore) throws -> [UInt64] {
        var found: [UInt64] = []
        try store.read { (transaction) throws(StorageError) in
            let tables = (Tables.jobs, Tables.erasures)
            try tables.0.scan(tables.0.all(of: Jobs.partition), limit: .max, in: transaction) {
                number, _ in
                found.append(number)
                return .more
            }
            try tables.1.scan(tables.1.all(of: Jobs.partition), limit: .max, in: transaction) {
                number, _ in
                found.append(number)
                return .more
            }
        }
        return found
    }

    /// - Parameters:
    ///   - life: Ends the mover at one of its steps.
    ///   - notify: Gets its notes.
    ///   - isAbout: Whether a kept answer is about an app.
    func mover(
        _ life: MoverLife = MoverLife(), notify: @escaping (MoveNote) -> Void = { _ in },
        isAbout: @escaping ([UInt8], UInt32) -> Bool = { _, _ in false }
    ) -> AppMover {
        life.onStep = { [unowned self] in try self.onStep() }
        movers += 1
        return AppMover(
            AppMover.Route(app: Self.id, source: "one", target: "other"),
            from: MortalStore(source, life), to: MortalStore(target, life),
            log: NotedLog(noted, life), id: movers, rate: 50, clock: clock, isAbout: isAbout,
            notify: notify)
    }

    /// A clock that goes on with each look at it, and with each pause.
    var clock: MoveClock {
        MoveClock(
            now: { [unowned self] in self.now },
            milliseconds: { [unowned self] in
                self.time += 1
                return self.time
            },
            pause: { [unowned self] in self.time += $0 })
    }

    /// The log of the source, for one who always lives.
    func log() -> any MoveLog { NotedLog(noted, MoverLife()) }
}

/// How many steps a mover may take.
///
/// `@unchecked Sendable`: each test uses it on one thread.
final class MoverLife: @unchecked Sendable {
    private(set) var steps = 0
    /// The bytes of the longest transaction since the last ``forgetLongest()``.
    private(set) var longestBytes = 0
    private(set) var isOver = false
    private let last: Int
    /// Whether the last step is still done, and only its answer is lost.
    private let endsAfter: Bool
    var onStep: () throws -> Void = {}

    init(endingAt last: Int = .max, after: Bool = false) {
        (self.last, endsAfter) = (last, after)
    }

    func forgetLongest() { longestBytes = 0 }

    func note(_ bytes: Int) { longestBytes = max(longestBytes, bytes) }

    static let killed = StorageError(.failed, "the mover is killed")

    func step<Result>(
        _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isOver else { throw Self.killed }
        do {
            try onStep()
        } catch {
            throw StorageError(.failed, "\(error)")
        }
        steps += 1
        guard steps == last else { return try body() }
        isOver = true
        if endsAfter { _ = try body() }
        throw Self.killed
    }
}

/// A store that only a living mover reaches.
private final class MortalStore: Store {
    private let inner: MemoryStore
    private let life: MoverLife

    init(_ inner: MemoryStore, _ life: MoverLife) {
        (self.inner, self.life) = (inner, life)
    }

    var isLocal: Bool { false }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try life.step { () throws(StorageError) in try inner.read(reaching: reach, body) }
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try life.step { () throws(StorageError) in
            try inner.write(touching: partitions) { [life] (transaction) throws(StorageError) in
                let counting = CountingTransaction(transaction)
                let result = try body(counting)
                life.note(counting.bytes)
                return result
            }
        }
    }

    func close() {}
}

/// Counts the bytes of the rows that a transaction sets.
private final class CountingTransaction: ForwardingTransaction {
    let inner: any WriteTransaction
    private(set) var bytes = 0

    init(_ inner: any WriteTransaction) { self.inner = inner }

    func set(_ key: Key, to value: [UInt8]) {
        bytes += key.bytes.count + value.count
        inner.set(key, to: value)
    }
}

/// The changes that a database notes of the app.
///
/// `@unchecked Sendable`: each test uses it on one thread.
final class NotedChanges: @unchecked Sendable {
    fileprivate(set) var isOn = false
    fileprivate(set) var changes: [MoveChange] = []
    fileprivate var holder: ObjectIdentifier?
    private var last: Int64 = 0

    func note(_ key: Key) {
        guard isOn else { return }
        last += 1
        changes.append(MoveChange(number: last, key: key))
    }

    /// Loses what notes the changes, as a restored database does.
    func lose() { isOn = false }
}

private final class NotedLog: MoveLog {
    private let noted: NotedChanges
    private let life: MoverLife

    init(_ noted: NotedChanges, _ life: MoverLife) {
        (self.noted, self.life) = (noted, life)
    }

    func take(force: Bool) throws(StorageError) {
        try life.step { () throws(StorageError) in
            guard force || noted.holder == nil else {
                throw StorageError(.locked, "another mover is there")
            }
            noted.holder = ObjectIdentifier(self)
        }
    }

    func beat() throws(StorageError) {
        try life.step { () throws(StorageError) in try checkHolder() }
    }

    private func checkHolder() throws(StorageError) {
        guard noted.holder == ObjectIdentifier(self) else {
            throw StorageError(.locked, "another mover has taken over")
        }
    }

    func begin() throws(StorageError) -> Bool {
        try life.step { () throws(StorageError) in
            try checkHolder()
            guard !noted.isOn else { return true }
            (noted.isOn, noted.changes) = (true, [])
            return false
        }
    }

    func changes(limit: Int) throws(StorageError) -> [MoveChange] {
        try life.step { () throws(StorageError) in Array(noted.changes.prefix(limit)) }
    }

    func forget(_ numbers: [Int64]) throws(StorageError) {
        try life.step { () throws(StorageError) in
            let forgotten = Set(numbers)
            noted.changes.removeAll { forgotten.contains($0.number) }
        }
    }

    func end() throws(StorageError) {
        try life.step { () throws(StorageError) in
            try checkHolder()
            (noted.isOn, noted.changes) = (false, [])
        }
    }

    func leave() throws(StorageError) {
        try life.step { () throws(StorageError) in
            if noted.holder == ObjectIdentifier(self) { noted.holder = nil }
        }
    }
}
