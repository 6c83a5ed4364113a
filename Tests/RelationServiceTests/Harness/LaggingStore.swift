import RelationSuite
import Storage
import Synchronization

/// The model as a shared store with one standby, which follows when a test says so.
final class LaggingStore: Store, StoreStandbys {
    private struct State {
        /// The states that the standby may show, from the oldest one.
        var shown: (any Snapshot)?
        var isAway = false
        var needs: [StandbyNeed] = []
        var reads = 0
    }

    private let inner = MemoryStore()
    private let state = Mutex(State())
    let takesRecentReads: Bool

    init(takesRecentReads: Bool = false) {
        self.takesRecentReads = takesRecentReads
    }

    var isLocal: Bool { false }
    var standbys: (any StoreStandbys)? { self }

    /// The needs of reads that asked the standby, in their order.
    var needs: [StandbyNeed] { state.withLock { $0.needs } }
    /// How often the primary was read for a call.
    var reads: Int { state.withLock { $0.reads } }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// A state to which the standby may be brought later.
    func point() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    /// Brings the standby to a state; to the present one by default.
    func follow(to point: (any Snapshot)? = nil) throws(StorageError) {
        guard let point else { return try follow(to: inner.snapshot()) }
        state.withLock { $0.shown = point }
    }

    func forgetCounts() {
        state.withLock { ($0.needs, $0.reads) = ([], 0) }
    }

    func read(
        _ need: StandbyNeed,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        let shown = state.withLock { state in
            state.needs.append(need)
            return state.isAway ? nil : state.shown
        }
        guard let shown, let verdict = try? shown.read(body) else { return .away }
        return switch verdict {
        case .answered: .answered
        case .behind: .behind
        case .unsure: .unsure
        }
    }

    func read<Result>(
        reaching reach: Reach, _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        guard reach == .disk else { throw StorageError(.notInMemory, "all rows are elsewhere") }
        state.withLock { $0.reads += 1 }
        return try inner.read(reaching: reach, body)
    }

    func snapshot() throws(StorageError) -> any Snapshot { try inner.snapshot() }

    func write<Result>(
        touching partitions: [Partition],
        _ body: (any WriteTransaction) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        try inner.write(touching: partitions, body)
    }

    func close() { inner.close() }
}
