import Memory
import Protobuf
import RPC
import RelationAPI
import RelationSuite
import Storage
import Synchronization
import Testing

@testable import RelationRuntime
@testable import RelationService

/// When an export asks its store for a snapshot.
@Suite struct ExportPointTests {
    /// Reads a part of the export.
    ///
    /// - Returns: The token to go on after it.
    @discardableResult
    private func read(_ source: ExportSource) throws -> String {
        let messages = try Arena.temporary { arena throws(RPCError) in
            try source.next(arena).messages
        }
        guard case .point(let point) = messages.last?.row else { return "" }
        return point.resumeToken
    }

    @Test func theFirstReadAsksAStoreOverANetwork() throws {
        let store = FarStore()
        let exports = Exports(harness: ServiceHarness(try World("A", "B", on: store)))
        let source = try exports.stream()
        #expect(store.snapshots == 0, "the loop would wait for the network")
        for _ in 0..<3 { try read(source) }
        #expect(store.snapshots == 1)
        source.close()
    }

    @Test func aSnapshotThatIsRefusedIsAskedForAgain() throws {
        let store = FarStore()
        let exports = Exports(harness: ServiceHarness(try World("A", "B", on: store)))
        let source = try exports.stream()
        store.refuses.store(true, ordering: .relaxed)
        #expect(throws: RPCError.self) { try read(source) }
        store.refuses.store(false, ordering: .relaxed)
        try read(source)
        #expect(store.snapshots == 1)
        source.close()
    }

    @Test func anExportWhoseSnapshotIsLostBeginsAgain() throws {
        let store = FarStore()
        let exports = Exports(harness: ServiceHarness(try World("A", "B", on: store)))
        let source = try exports.stream()
        let token = try read(source)
        store.loses.store(true, ordering: .relaxed)
        #expect(throws: RPCError.self) { try read(source) }
        #expect(exports.points.count == 0)
        #expect(throws: RPCError.pointGone) { _ = try exports.stream(token) }
        store.loses.store(false, ordering: .relaxed)
        let again = try exports.stream()
        try read(again)
        #expect(store.snapshots == 2)
        again.close()
        source.close()
    }
}

/// The model as a store over a network, which counts the snapshots for long readers.
private final class FarStore: Store {
    let refuses = Atomic(false)
    let loses = Atomic(false)
    private let inner = MemoryStore()
    private let taken = Atomic<Int>(0)

    var isLocal: Bool { false }
    var snapshots: Int { taken.load(ordering: .relaxed) }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func longSnapshot() throws(StorageError) -> any Snapshot {
        guard !refuses.load(ordering: .relaxed) else {
            throw StorageError(.unavailable, "on purpose")
        }
        taken.add(1, ordering: .relaxed)
        return FarSnapshot(of: self, try inner.snapshot())
    }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions, body)
    }

    func close() { inner.close() }
}

/// A snapshot that its store may lose.
private final class FarSnapshot: Snapshot {
    private let store: FarStore
    private let inner: any Snapshot

    init(of store: FarStore, _ inner: any Snapshot) {
        (self.store, self.inner) = (store, inner)
    }

    var isLost: Bool { store.loses.load(ordering: .relaxed) }

    func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard !isLost else { throw StorageError(.unavailable, "on purpose") }
        return try inner.read(body)
    }

    func close() { inner.close() }
}
