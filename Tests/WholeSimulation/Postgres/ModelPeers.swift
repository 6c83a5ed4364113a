import Storage
import StoragePostgres
import Synchronization

/// The processes of a modelled database, by its notices and its table of leases.
final class ModelPeers: StorePeers {
    private let client: ModelClient
    /// One connection for each of its purposes, made when it is needed, and again after a failure.
    private let held = Mutex<[Purpose: ModelConnection]>([:])
    /// Whether the connection of the lease was made since the lease has run out.
    private let isNew = Mutex(false)
    /// The leases that a change of the registry waits for.
    private let older = Mutex(OlderLeases())

    private enum Purpose { case lease, notices, checks, notes }

    init(_ client: ModelClient) { self.client = client }

    var lease: Lease { client.lease }

    /// Runs `body` with the connection of a purpose.
    private func use<Result>(
        _ purpose: Purpose, beginning: [ModelQuestion] = [],
        _ body: (ModelConnection) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        var taken = held.withLock { $0.removeValue(forKey: purpose) }
        if let known = taken, !known.isAlive {
            known.close()
            taken = nil
        }
        do throws(StorageError) {
            if taken == nil {
                // Later, a lease has run out.
                let made = try client.connect(
                    withinMilliseconds: LeaseLimits.reliedMilliseconds,
                    patience: LeaseLimits.reliedMilliseconds)
                taken = made
                if !beginning.isEmpty { _ = try made.ask(beginning, ends: true) }
            }
            guard let connection = taken else { preconditionFailure("nothing was taken") }
            let result = try body(connection)
            let former = held.withLock { $0.updateValue(connection, forKey: purpose) }
            former?.close()
            return result
        } catch {
            taken?.close()
            throw error
        }
    }

    func wait(milliseconds: Int) throws(StorageError) -> Set<PeerSignal> {
        try use(.notices, beginning: [.listen]) { (connection) throws(StorageError) in
            try connection.notices(milliseconds: milliseconds)
        }
    }

    // MARK: The lease

    func renew(
        _ read: (any ReadTransaction) throws(StorageError) -> Int64
    ) throws(StorageError) -> Bool {
        try client.checkSeen()
        let began = lease.now
        let connection = try leaseConnection()
        do throws(StorageError) {
            let version = try read(ModelReadTransaction(on: connection))
            let known = client.seen.renewal
            let question = ModelQuestion.renew(client.process, version: version, seen: known)
            let found = try connection.ask([question], ends: true)[0].numbers
            guard found.count == 3 else { throw client.lost() }
            client.note { seen in
                seen.renewal = max(seen.renewal ?? 0, found[0])
                (seen.others, seen.earlier) = (Int(found[1]), Int(found[2]))
            }
            if known == nil { connection.send([.notify(.registry)]) }
            let isGood = lease.renewed(
                from: began, tenure: found[0] >> ModelLease.tenureBits)
            if isGood { isNew.withLock { $0 = false } }
            held.withLock { $0[.lease] = connection }
            return isGood
        } catch {
            connection.close()
            throw error
        }
    }

    /// The connection of the lease, made again if it has broken, or the lease has run out.
    private func leaseConnection() throws(StorageError) -> ModelConnection {
        let hasLapsed = lease.tenure != 0 && !lease.isGood
        if let known = held.withLock({ $0.removeValue(forKey: .lease) }) {
            if known.isAlive, !hasLapsed || isNew.withLock({ $0 }) { return known }
            known.close()
        }
        let made = try client.connect(
            for: .lease, isRepeatable: true, comparing: hasLapsed,
            withinMilliseconds: LeaseLimits.reliedMilliseconds,
            patience: LeaseLimits.reliedMilliseconds)
        isNew.withLock { $0 = hasLapsed }
        return made
    }

    var doesUpkeep: Bool { client.seen.earlier == 0 }

    var processCount: Int { (client.seen.others ?? 0) + 1 }

    func noteRollback() {
        _ = client.lost()
        lease.finish()
    }

    func settle(_ version: Int64, byThisProcessToo: Bool) {
        var pauses = client.pauses(milliseconds: 2 * LeaseLimits.milliseconds)
        var areLeft = true
        repeat {
            guard let found = try? leases(olderThan: version, with: byThisProcessToo) else {
                continue
            }
            areLeft = !found.isEmpty
            let now = lease.now
            if older.withLock({ $0.end(of: found, at: now) }) <= now { break }
        } while client.pause(&pauses)
        // A process that no longer relies on its lease may have sent its commit before.
        if areLeft { try? waitForAll() }
    }

    /// The leases with an older version, of this process only if it is to be counted.
    private func leases(
        olderThan version: Int64, with isCounted: Bool
    ) throws(StorageError) -> [String] {
        let process = isCounted ? "" : client.process
        return try use(.checks) { (connection) throws(StorageError) in
            try connection.ask(
                [.notify(.registry), .olderLeases(process, than: version)], ends: true)[1].names
        }
    }

    /// Waits until all transactions have ended that run now.
    private func waitForAll() throws(StorageError) {
        let connection = try client.connect()
        defer { connection.close() }
        connection.looksForLapsed = true
        var pauses = client.pauses(milliseconds: client.options.patienceMilliseconds)
        while true {
            do throws(StorageError) {
                _ = try connection.ask([.lockAll], ends: true)
                return
            } catch {
                guard error.code == .unavailable, !connection.isBroken else { throw error }
                let time = UInt64(LeaseLimits.milliseconds) * 1_000_000
                _ = try connection.ask([.fence(within: time)], ends: true)
                guard client.pause(&pauses) else { throw error }
            }
        }
    }

    func releaseLease() {
        let process = client.process
        _ = try? use(.checks) { (connection) throws(StorageError) in
            try connection.ask([.releaseLease(process)], ends: true)
        }
    }

    // MARK: Notes and tables

    func checkTables() throws(StorageError) -> Int64 {
        try use(.checks) { (connection) throws(StorageError) in
            try connection.ask([.checkTables], ends: true)[0].numbers[0]
        }
    }

    func post(
        _ notes: [PeerNote], readingAfter position: NotePosition?
    ) throws(StorageError) -> PeerNotes {
        precondition(notes.count <= NoteLimits.posted)
        return try use(.notes) { (connection) throws(StorageError) in
            let answer = try connection.ask([.post(notes, after: position)], ends: true)[0]
            guard case .notes(let found) = answer else { preconditionFailure("no notes") }
            return found
        }
    }

    func notes(after position: NotePosition?) throws(StorageError) -> PeerNotes {
        try post([], readingAfter: position)
    }

    func trimNotes(to count: Int) throws(StorageError) {
        _ = try use(.notes) { (connection) throws(StorageError) in
            try connection.ask([.trimNotes(count)], ends: true)
        }
    }

    func close() {
        let all = held.withLock { held in
            defer { held = [:] }
            return held.values
        }
        for connection in all { connection.close() }
    }
}
