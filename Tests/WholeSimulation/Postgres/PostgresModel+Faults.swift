package import Storage
import StoragePostgres

// Faults of a database, and the work of an operator on it.
extension PostgresModel {
    /// The server that takes writes, of several the one that took over last.
    private var primary: ModelNode {
        nodes.filter { !$0.isStandby }.max { $0.timeline < $1.timeline } ?? nodes[0]
    }

    private func sessions(of process: String?) -> [ModelSession] {
        nodes.flatMap { $0.sessions.values }.filter { process == nil || $0.process == process }
            .sorted { $0.number < $1.number }
    }

    /// The processes that have a session, by name.
    package var processes: [String] {
        use { model in
            Set(model.sessions(of: nil).map(\.process)).subtracting([""]).sorted()
        }
    }

    /// Loses the connections of a process, or all of them.
    ///
    /// - Parameter losingAnswersOnly: Whether statements that are under way still come.
    package func cut(_ process: String? = nil, losingAnswersOnly: Bool = false) {
        use { model in
            for session in model.sessions(of: process) {
                model.cut(session, losingAnswersOnly: losingAnswersOnly)
            }
        }
    }

    /// Ends all sessions, as an operator does.
    package func endSessions() {
        use { model in
            for session in model.sessions(of: nil) { session.node.end(session) }
        }
    }

    /// Lets a server do nothing for a while.
    ///
    /// Requests that have come to it wait. One that is frozen already stays so at least as long.
    package func freeze(_ node: Int, milliseconds: Int) {
        use { model in
            let end = model.present + UInt64(milliseconds) * 1_000_000
            model.nodes[node].frozenUntil = max(model.nodes[node].frozenUntil, end)
        }
    }

    /// Lets a session of a process at the primary hang for a while, and go on.
    ///
    /// It keeps its locks meanwhile, and cannot be ended.
    ///
    /// - Parameter choice: Which session it is: of those that hold locks, if there are any.
    /// - Returns: Whether it holds locks; nil if there is no session.
    package func hang(_ process: String, choice: Int, milliseconds: Int) -> Bool? {
        use { model in
            let node = model.primary
            let own = model.sessions(of: process).filter { $0.node === node }
            let holding = own.filter { node.locks.holds($0.number) }
            let choices = holding.isEmpty ? own : holding
            guard !choices.isEmpty else { return nil }
            let end = model.present + UInt64(milliseconds) * 1_000_000
            choices[choice % choices.count].hungUntil = end
            return !holding.isEmpty
        }
    }

    /// Lets nothing pass one way between a process and the primary for a while; it comes later.
    package func hold(_ process: String, isUp: Bool, milliseconds: Int) {
        use { model in
            let end = model.present + UInt64(milliseconds) * 1_000_000
            model.hold(process, model.primary.index, isUp: isUp, until: end)
        }
    }

    /// Lets nothing pass one way between the primary and a standby for a while; it comes later.
    ///
    /// - Parameter isToStandby: Whether changes are held, and not the standby's answers.
    package func holdStandby(_ node: Int, isToStandby: Bool, milliseconds: Int) {
        use { model in
            let end = model.present + UInt64(milliseconds) * 1_000_000
            if isToStandby {
                model.nodes[node].heldFrom = end
            } else {
                model.nodes[node].heldTo = end
            }
        }
    }

    /// How long the last lease still is, by the clock of the primary, in milliseconds.
    var longestLeaseMilliseconds: Int {
        use { model in
            let now = model.primary.now
            let ends = model.primary.tables.leases.values.map(\.until).filter { $0 > now }
            return ends.map { Int(($0 - now) / 1_000_000) }.max() ?? 0
        }
    }

    /// Ends a server.
    ///
    /// It keeps what was committed, and not its notes.
    package func crash(_ node: Int) {
        use { model in
            let node = model.nodes[node]
            for (_, session) in node.sessions.sorted(by: { $0.key < $1.key }) {
                node.end(session, isAtOnce: true)
            }
            (node.isUp, node.locks, node.notes) = (false, ModelLocks(), ModelNotes())
        }
    }

    /// Begins a server again that has ended.
    package func restart(_ node: Int) {
        use { model in
            let node = model.nodes[node]
            guard !node.isUp else { return }
            (node.isUp, node.frozenUntil) = (true, 0)
            node.boots += 1
            node.thaw()
        }
    }

    /// Makes a standby the primary, with what has come to it.
    ///
    /// The other standbys follow it.
    ///
    /// The primary before it goes on, if it runs, and does not know.
    package func promote(_ node: Int) {
        use { model in
            let node = model.nodes[node]
            guard node.isStandby else { return }
            node.catchUp()
            node.timeline = (model.nodes.map(\.timeline).max() ?? 0) + 1
            (node.isStandby, node.leader) = (false, nil)
            for other in model.nodes where other.isStandby { model.follow(other, node) }
        }
    }

    /// Makes a server a standby of the present primary, from a copy of it.
    package func demote(_ node: Int) {
        use { model in
            let (node, leader) = (model.nodes[node], model.primary)
            guard node !== leader else { return }
            for (_, session) in node.sessions.sorted(by: { $0.key < $1.key }) {
                node.end(session, isAtOnce: true)
            }
            (node.isUp, node.isStandby, node.frozenUntil) = (true, true, 0)
            (node.locks, node.timeline) = (ModelLocks(), leader.timeline)
            node.boots += 1
            model.follow(node, leader)
            node.thaw()
        }
    }

    private func follow(_ node: ModelNode, _ leader: ModelNode) {
        node.leader = leader
        node.copy(leader)
        leader.shipWaiting(to: node)
    }

    /// The connections of a process end, since it has died; what it has sent still comes.
    package func disconnect(_ process: String) {
        use { model in
            for session in model.sessions(of: process) { model.disconnect(session) }
        }
    }

    /// Whether a standby that runs may take over.
    ///
    /// It may lack what the primary has shown early: a commit whose session ended meanwhile. No
    /// caller has an answer to that, but some may have seen it.
    func isWhole(_ node: Int) -> Bool {
        use { model in
            let (node, leader) = (model.nodes[node], model.primary)
            guard node.isUp, node.isStandby, node.leader === leader, leader.isUp,
                node.frozenUntil <= model.present
            else { return false }
            var tables = node.tables
            for change in node.received { tables.apply(change) }
            return leader.shownEarly.batches.allSatisfy {
                tables.batches[$0.key] ?? 0 >= $0.value
            }
                && leader.shownEarly.leases.allSatisfy {
                    tables.leases[$0.key]?.renewal ?? 0 >= $0.value?.renewal ?? 0
                }
        }
    }

    /// The server that takes writes.
    var primaryIndex: Int { use { $0.primary.index } }

    /// Whether a server takes itself for the primary, and another one has taken over from it.
    func isFormer(_ node: Int) -> Bool {
        use { !$0.nodes[node].isStandby && $0.primary !== $0.nodes[node] }
    }

    /// Whether a server does its work now.
    func isWell(_ node: Int) -> Bool {
        use { $0.nodes[node].isUp && $0.nodes[node].frozenUntil <= $0.present }
    }

    /// Ends all faults: each server runs, and all but the primary follow it.
    ///
    /// One that hung goes on at once with what has come to it.
    package func heal() {
        for node in nodes.indices {
            restart(node)
            use { model in
                model.nodes[node].frozenUntil = 0
                model.nodes[node].thaw()
            }
            lag(node, milliseconds: 0)
        }
        let leader = primaryIndex
        for node in nodes.indices where node != leader {
            if !nodes[node].isStandby || nodes[node].leader !== nodes[leader] { demote(node) }
        }
        use { $0.latestNotice = nil }
    }

    /// Lets each notice come up to so many milliseconds later; nil for as late as usual.
    func delayNotices(milliseconds: Int?) {
        use { $0.latestNotice = milliseconds }
    }

    /// Lets a standby show changes so many milliseconds after they came; nil for never.
    ///
    /// Changes that wait are shown when `milliseconds` is not nil.
    package func lag(_ node: Int, milliseconds: Int?) {
        use { model in
            model.nodes[node].lag = milliseconds.map { UInt64($0) * 1_000_000 }
            if milliseconds != nil { model.nodes[node].catchUp() }
        }
    }

    /// How many changes wait to be shown at a standby.
    package func waitingChanges(_ node: Int) -> Int { use { $0.nodes[node].received.count } }

    /// Sets the clock of a server ahead, or back.
    package func setClock(_ node: Int, ahead milliseconds: Int) {
        use { $0.nodes[node].clockOffset = Int64(milliseconds) * 1_000_000 }
    }

    /// Moves the ends of leases at the primary, as if time had passed; of all processes, or of one.
    package func moveLeases(of process: String? = nil, milliseconds: Int) {
        use { model in
            let tables = model.primary.tables
            for (name, lease) in tables.leases where process == nil || name == process {
                let end = Int64(lease.until) + Int64(milliseconds) * 1_000_000
                model.primary.tables.leases[name]?.until = UInt64(max(0, end))
            }
        }
    }

    /// Gives a process another lease, as if the one before had run out meanwhile.
    package func renewElsewhere() {
        use { model in
            for (name, lease) in model.primary.tables.leases {
                model.primary.tables.leases[name]?.renewal =
                    (lease.tenure + 1) << ModelLease.tenureBits
            }
        }
    }

    /// Empties the table of notes, as a crash does.
    package func loseNotes() { use { $0.primary.notes = ModelNotes() } }

    /// The state of the primary, to go back to.
    package func backup() -> ModelBackup { use { ModelBackup(tables: $0.primary.tables) } }

    /// Goes back to an earlier state, as a restore does: all connections end.
    package func restore(_ backup: ModelBackup) {
        use { model in
            for session in model.sessions(of: nil) {
                session.node.end(session, isAtOnce: true)
            }
            model.primary.tables = backup.tables
            model.primary.notes = ModelNotes()
        }
    }

    package func refuseCommits(_ isRefused: Bool) { use { $0.refusesCommits = isRefused } }

    /// Takes the lock of a name for a program of another kind; nil if it is not free.
    ///
    /// - Returns: Gives it back.
    package func takeLock(of name: [UInt8]) -> (@Sendable () -> Void)? {
        use { model in
            let node = model.primary
            let session = model.open(node.index, for: "", isRepeatable: false)
            let lock = ModelLocks.Name.advisory(Lock.number(of: name))
            guard node.locks.acquire(lock, by: session.number) else {
                node.end(session)
                return nil
            }
            let number = session.number
            return { [self] in
                use { model in
                    for node in model.nodes { node.sessions[number].map { node.end($0) } }
                }
            }
        }
    }

    /// Renews all leases in a transaction of another program, which stays open.
    ///
    /// - Returns: Ends it; it is committed or taken back.
    package func beginRenewal() -> @Sendable (_ isCommitted: Bool) -> Void {
        use { model in
            let node = model.primary
            let session = model.open(node.index, for: "", isRepeatable: false)
            for (process, lease) in node.tables.leases.sorted(by: { $0.key < $1.key })
            where node.locks.acquire(.lease(process), by: session.number) {
                var renewed = lease
                renewed.renewal += 1
                session.change.leases[process] = renewed
            }
            let number = session.number
            return { [self] isCommitted in
                use { model in
                    for node in model.nodes {
                        guard let session = node.sessions[number] else { continue }
                        if isCommitted { try? node.commit(session) }
                        node.end(session)
                    }
                }
            }
        }
    }

    /// How many transactions wait for a lock at the primary.
    package var waitingTransactions: Int { use { $0.primary.locks.waitingCount } }

    /// The rows at a server, in order, for checks.
    package func rows(_ node: Int) -> [MemoryRows.Row] { use { $0.nodes[node].tables.rows.all } }
}

/// An earlier state of a modelled database.
package struct ModelBackup: Sendable {
    let tables: ModelTables
}
