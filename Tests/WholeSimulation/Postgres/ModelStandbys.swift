import Storage
import StoragePostgres
import Synchronization

/// The standbys of a modelled database, from which reads are answered.
///
/// A number that is committed at the primary says how old a view is that shows it. Its history is
/// the real store's.
final class ModelStandbys: StoreStandbys {
    private struct Marks {
        var last: Int64 = 0
        var history = MarkHistory()
    }

    private struct Number {
        let value: Int64
        let primary: UInt64
    }

    private let client: ModelClient
    /// Each standby by its index, with what is known of it.
    private let readers: [(node: Int, client: ModelClient)]
    private let id: [UInt8]
    private let marks = Mutex(Marks())

    init(_ client: ModelClient) {
        self.client = client
        let first = client.options.readsFirst ? 0 : 1
        readers = (first..<client.model.use { $0.nodes.count }).map { ($0, client.ofStandbys()) }
        id = (0..<16).map { _ in UInt8(client.random(0...255)) }
    }

    private var staleness: Int { client.options.standbyStalenessMilliseconds }
    private var milliseconds: Int { Int(client.time.now / 1_000_000) }

    var takesRecentReads: Bool { staleness > 0 }

    func read(
        _ need: StandbyNeed,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome {
        if need == .present {
            guard let snapshot = snapshot() else { return .away }
            defer { snapshot.close() }
            let verdict = try? snapshot.read(body)
            return verdict == .answered && !snapshot.isLost ? .answered : .away
        }
        let tokens = StoragePostgres.Limits.tokenStalenessMilliseconds
        let age = need == .token ? max(staleness, tokens) : staleness
        guard let number = mark(within: age) else { return .away }
        var outcome = StandbyOutcome.away
        for index in readers.indices {
            guard let connection = try? connect(index) else { continue }
            defer { connection.close() }
            guard let shown = try? connection.ask([.noted(id)])[0].numbers else { continue }
            let isShown = shown.first ?? 0 >= number.value
            let verdict = isShown ? try? body(ModelReadTransaction(on: connection)) : .behind
            guard let verdict, client.primary.number == number.primary else { continue }
            let node = readers[index].node
            client.model.use { if $0.nodes[node].isStandby { $0.onStandbyRead(verdict) } }
            switch verdict {
            case .answered: return .answered
            case .behind: outcome = .behind
            case .unsure: return .unsure
            }
        }
        return outcome
    }

    private func connect(_ index: Int) throws(StorageError) -> ModelConnection {
        try readers[index].client.connect(
            toStandby: readers[index].node, within: client.options.standbyWaitMilliseconds)
    }

    /// A number that a view shows which is not older than so many milliseconds.
    private func mark(within age: Int) -> Number? {
        let primary = client.primary.number
        let now = milliseconds
        let newest = marks.withLock { $0.history.newest(primary: primary) }
        let pause = age / ModelLimits.marksPerAge
        if newest.map({ now - $0 >= pause }) ?? true { _ = try? advance(keeping: age) }
        let value = marks.withLock {
            $0.history.oldest(since: now - age, primary: primary)
        }
        return value.map { Number(value: $0, primary: primary) }
    }

    /// Commits the next number.
    private func advance(keeping age: Int) throws(StorageError) -> Number {
        try client.checkSeen()
        let begun = milliseconds
        let connection = try client.connect()
        defer { connection.close() }
        let value = marks.withLock { marks in
            marks.last += 1
            return marks.last
        }
        _ = try connection.ask(
            [.note(writer: id, batch: value, tenure: 0, process: client.process)], ends: true)
        let number = Number(value: value, primary: connection.number)
        marks.withLock {
            $0.history.add(value, begun: begun, primary: number.primary, keeping: age)
        }
        return number
    }

    /// A view of everything that was committed before the call; nil if no standby has one in time.
    func snapshot() -> ModelSnapshot? {
        let tokens = StoragePostgres.Limits.tokenStalenessMilliseconds
        guard let number = try? advance(keeping: max(staleness, tokens)) else { return nil }
        for index in readers.indices {
            guard let connection = try? connect(index) else { continue }
            var pauses = client.pauses(milliseconds: client.options.standbyWaitMilliseconds)
            while let shown = try? connection.ask([.noted(id)])[0].numbers {
                if shown.first ?? 0 >= number.value {
                    let primary = client.primary
                    return ModelSnapshot(
                        connection, isOfPrimary: { primary.number == number.primary },
                        release: { $0.close() })
                }
                connection.end()
                guard client.pause(&pauses) else { break }
            }
            connection.close()
        }
        return nil
    }

    func close() {}
}
