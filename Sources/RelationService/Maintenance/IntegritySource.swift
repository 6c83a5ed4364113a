import Memory
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// One check: it looks at a few users at a time, and repairs the errors that it finds before it
/// goes on.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep. Only
/// ``close()`` may come at the same time, and it touches only state that a lock guards.
final class IntegritySource: BatchSource, @unchecked Sendable {
    private let points: ExportPoints
    private let point: ExportPoints.Point
    private let app: App
    private let repairer: Repairer?
    private let now: Timestamp
    private var least: LeastSequence?
    private var areLossesReported = false
    private var walk: IntegrityWalk
    private var progress = IntegrityProgress()

    init(
        _ call: Call, _ least: LeastSequence, _ repairer: Repairer?, _ points: ExportPoints
    ) throws(RPCError) {
        self.points = points
        point = try points.begin(call)
        app = call.app
        walk = IntegrityWalk(call.app)
        self.least = least
        self.repairer = repairer
        now = call.now
    }

    func next(
        _ arena: Arena
    ) throws(RPCError) -> (messages: [CheckIntegrityResponse], isLast: Bool) {
        if let least {
            self.least = nil
            let isReached = try read {
                (transaction) throws(StorageError) in
                try least.isReached(app, in: transaction)
            }
            guard isReached else { throw least.notIssued }
        }
        var messages: [CheckIntegrityResponse] = []
        if !areLossesReported { messages += try reportLosses() }
        // Some users, or one part of something else.
        repeat {
            let part = try read { (transaction) throws(StorageError) in
                try walk.next(in: transaction)
            }
            guard let part else { break }
            messages += try report(part)
        } while !walk.isBetweenUsers
        progress.complete = walk.isComplete
        messages.append(CheckIntegrityResponse(.progress(progress)))
        return (messages, progress.complete)
    }

    private func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        try points.read(point, at: now, gone: .checkTooLong, body)
    }

    /// Reports losses of the store as a whole, which the rows do not show.
    private func reportLosses() throws(RPCError) -> [CheckIntegrityResponse] {
        areLossesReported = true
        let losses = try read { (transaction) throws(StorageError) in
            try Losses.unknown(to: app, in: transaction)
        }
        guard let newest = losses.last else { return [] }
        try repairer?.run(app) { (ledger) throws(StorageError) in
            try Losses.acknowledge(through: newest.foundMs, in: ledger)
        }
        let finding = Integrity.Finding(user: nil, fault: .lostWrites, subject: "store")
        return losses.map { message(finding, repairer != nil, LostWrites($0)) }
    }

    /// The errors of a part, which are repaired first.
    private func report(_ part: IntegrityWalk.Part) throws(RPCError) -> [CheckIntegrityResponse] {
        switch part {
        case .users(let count):
            progress.users += Int64(count)
            return []
        case .user(let user, let found):
            guard !found.isEmpty else { return [] }
            var repaired: Set<Integrity.Finding> = []
            try repairer?.run(app) { (ledger) throws(StorageError) in
                repaired = Set(try Integrity.repairOwn(user, in: ledger))
            }
            return found.map { message($0, repaired.contains($0)) }
        case .followers(let user, let part):
            guard !part.findings.isEmpty else { return [] }
            var repaired: Set<Integrity.Finding> = []
            try repairer?.run(app) { (ledger) throws(StorageError) in
                repaired = Set(try FollowersCheck.repair(part, of: user, in: ledger))
            }
            return part.findings.map { message($0, repaired.contains($0)) }
        case .mentions(let user, let part):
            guard !part.findings.isEmpty else { return [] }
            var repaired: Set<Integrity.Finding> = []
            try repairer?.run(app) { (ledger) throws(StorageError) in
                repaired = Set(try MentionsCheck.repair(part, of: user, in: ledger))
            }
            return part.findings.map { message($0, repaired.contains($0)) }
        case .counts(let missing):
            guard let missing else { return [] }
            try repairer?.run(app) { (ledger) throws(StorageError) in
                try Integrity.repairCounts(missing, in: ledger)
            }
            let finding = Integrity.Finding(user: nil, fault: .wrongCounter, subject: "app_counts")
            return [message(finding, repairer != nil)]
        case .uniqueIDs(let strays):
            return try report(strays)
        case .invitations(let strays):
            return try report(strays)
        case .foundNames(let strays):
            return try report(strays)
        case .contacts(let strays):
            return try report(strays)
        case .feed(let found):
            return try report(found, Integrity.repairFeed)
        case .sessions(let found):
            return try report(found, Integrity.repairSessions)
        case .suspensions(let found):
            return try report(found, Integrity.repairSuspensions)
        case .reports(let found):
            return try report(found, Integrity.repairReports)
        case .reviews(let found):
            return try report(found) { (ledger) throws(StorageError) in
                try Integrity.repairReviews(in: ledger)
            }
        case .hooks(let found):
            return try report(found, Integrity.repairHooks)
        case .history(let part):
            guard !part.findings.isEmpty else { return [] }
            try repairer?.run(app) { (ledger) throws(StorageError) in
                try HistoryCheck.repair(part, in: ledger)
            }
            return part.findings.map { message($0, repairer != nil) }
        case .audit(let part):
            guard !part.findings.isEmpty else { return [] }
            var repaired: [Integrity.Finding] = []
            try repairer?.run(app) { (ledger) throws(StorageError) in
                repaired = try AuditCheck.repair(part, in: ledger)
            }
            return part.findings.map { message($0, repaired.contains($0)) }
        }
    }

    /// The error of rows of the app itself, which is repaired first.
    private func report(
        _ found: Integrity.Finding?, _ repair: @escaping (Ledger) throws(StorageError) -> Bool
    ) throws(RPCError) -> [CheckIntegrityResponse] {
        guard let found else { return [] }
        var isRepaired = false
        try repairer?.run(app) { (ledger) throws(StorageError) in
            isRepaired = try repair(ledger)
        }
        return [message(found, isRepaired)]
    }

    private func report(
        _ strays: [Integrity.IndexedID]
    ) throws(RPCError) -> [CheckIntegrityResponse] {
        guard !strays.isEmpty else { return [] }
        var removed: Set<UniqueID> = []
        try repairer?.run(app) { (ledger) throws(StorageError) in
            removed = try Integrity.removeStrays(among: strays.map(\.id), in: ledger)
        }
        return strays.map { stray in
            let finding = Integrity.Finding(
                user: stray.user, fault: .indexWithoutRow, subject: "unique_id")
            return message(finding, removed.contains(stray.id))
        }
    }

    private func report(
        _ strays: [Integrity.IndexedInvitation]
    ) throws(RPCError) -> [CheckIntegrityResponse] {
        guard !strays.isEmpty else { return [] }
        var removed: Set<InvitationID> = []
        try repairer?.run(app) { (ledger) throws(StorageError) in
            removed = try Integrity.removeStrays(among: strays.map(\.id), in: ledger)
        }
        return strays.map { stray in
            let finding = Integrity.Finding(
                user: stray.user, fault: .indexWithoutRow, subject: "invitation_ids")
            return message(finding, removed.contains(stray.id))
        }
    }

    private func report(
        _ strays: [Integrity.IndexedContact]
    ) throws(RPCError) -> [CheckIntegrityResponse] {
        guard !strays.isEmpty else { return [] }
        var removed: Set<Integrity.IndexedContact> = []
        try repairer?.run(app) { (ledger) throws(StorageError) in
            removed = try Integrity.removeStrays(among: strays, in: ledger)
        }
        return strays.map { stray in
            let finding = Integrity.Finding(
                user: stray.user, fault: .indexWithoutRow, subject: "contacts")
            return message(finding, removed.contains(stray))
        }
    }

    private func report(
        _ strays: [Integrity.IndexedName]
    ) throws(RPCError) -> [CheckIntegrityResponse] {
        guard !strays.isEmpty else { return [] }
        var removed: Set<FoundName> = []
        try repairer?.run(app) { (ledger) throws(StorageError) in
            removed = try Integrity.removeStrays(among: strays.map(\.row), in: ledger)
        }
        return strays.map { stray in
            let finding = Integrity.Finding(
                user: stray.user, fault: .indexWithoutRow, subject: "found_names")
            return message(finding, removed.contains(stray.row))
        }
    }

    private func message(
        _ finding: Integrity.Finding, _ isRepaired: Bool, _ lostWrites: LostWrites? = nil
    ) -> CheckIntegrityResponse {
        progress.findings += 1
        if isRepaired { progress.repaired += 1 }
        var message = IntegrityFinding()
        message.userID = finding.user?.text ?? ""
        message.fault = finding.fault
        message.subject = finding.subject
        message.otherUserID = finding.other?.text ?? ""
        message.repaired = isRepaired
        message.lostWrites = lostWrites
        return CheckIntegrityResponse(.finding(message))
    }

    func close() {
        points.discard(point)
    }
}

extension RPCError {
    /// The snapshot of the check is no longer kept.
    fileprivate static var checkTooLong: RPCError {
        RPCError(
            .resourceExhausted, .overloaded,
            "the check took too long, and its snapshot is no longer kept; begin it again",
            .retryAfter(milliseconds: AnswerLimits.retryAfterMilliseconds))
    }
}

extension LostWrites {
    fileprivate init(_ loss: Losses.Known) {
        self.init()
        mostWrites = loss.record.mostWrites
        (sinceTimeMs, untilTimeMs) = (loss.record.sinceMs, loss.record.untilMs)
        foundTimeMs = loss.foundMs
    }
}
