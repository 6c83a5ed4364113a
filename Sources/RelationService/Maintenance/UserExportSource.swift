import GRPC
import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// The export of one user's data.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep. Only
/// ``close()`` may come at the same time, and it touches only state that a lock guards.
final class UserExportSource: BatchSource, @unchecked Sendable {
    /// The part that comes next.
    private enum Phase {
        case rows(after: AppExport.Position?)
        case madeReports(after: UserID?)
        case mentions
        case events(after: Int64)
    }

    private let points: ExportPoints
    private let point: ExportPoints.Point
    private let app: App
    private let user: UserID
    private let clock: ServiceClock
    private let texts: ExportedTexts
    private let view: ChangeView
    private var least: LeastSequence?
    private var phase = Phase.rows(after: nil)
    private var parts: Int64 = 0

    /// Returns nil if the request has an error.
    init?(
        _ request: ExportUserRequest, _ call: Call, _ least: LeastSequence,
        _ violations: inout Violations, _ points: ExportPoints, _ clock: ServiceClock
    ) throws(RPCError) {
        let user = violations.user(request.exportedUserID, "exported_user_id")
        guard violations.isEmpty, let user else { return nil }
        self.points = points
        self.user = user
        self.clock = clock
        self.least = least
        app = call.app
        texts = ExportedTexts(call.app.settings)
        view = ChangeView(isAdmin: true, call.app.settings)
        point = try points.begin(call)
    }

    func next(
        _ arena: Arena
    ) throws(RPCError) -> (messages: [ExportUserResponse], isLast: Bool) {
        try begin()
        var messages: [ExportUserResponse] = []
        var isLast = false
        switch phase {
        case .rows(let position): messages = try rows(after: position)
        case .madeReports(let reported): messages = try madeReports(after: reported)
        case .mentions: messages = try mentions()
        case .events(let sequence): (messages, isLast) = try events(after: sequence, arena)
        }
        parts += Int64(messages.count)
        var reached = ExportPoint()
        reached.timeMs = point.time.milliseconds
        reached.rows = parts
        reached.complete = isLast
        reached.format = Limits.exportFormat
        messages.append(ExportUserResponse(.point(reached)))
        return (messages, isLast)
    }

    /// Checks, before the first part, that the snapshot has the sequence and the user.
    private func begin() throws(RPCError) {
        guard let least else { return }
        self.least = nil
        let (isReached, isKnown) = try read { (transaction) throws(StorageError) in
            let isReached = try least.isReached(app, in: transaction)
            let created = try Accounts.created([user], app: app, in: transaction)
            return (isReached, created[0] != nil)
        }
        guard isReached else { throw least.notIssued }
        guard isKnown else { throw .unknownUser(user) }
    }

    private func read<Result>(
        _ body: (any ReadTransaction) throws(StorageError) -> Result
    ) throws(RPCError) -> Result {
        try points.read(point, at: clock.now(), body)
    }

    // MARK: The parts

    private func rows(after position: AppExport.Position?) throws(RPCError) -> [ExportUserResponse]
    {
        let batch = try read { (transaction) throws(StorageError) in
            // Reports about the user are others' words, and it never learns who reported it.
            try AppExport.next(
                of: app, users: [user],
                sections: AppExport.Section.allCases.filter { $0 != .reports }, after: position,
                in: transaction)
        }
        phase = batch.isLast ? .madeReports(after: nil) : .rows(after: batch.position)
        return batch.rows.map {
            ExportUserResponse(.row(ExportAppResponse($0, at: point.time, texts)))
        }
    }

    /// The next reports that the user made, without what moderators made of them.
    private func madeReports(
        after reported: UserID?
    ) throws(RPCError) -> [ExportUserResponse] {
        let found = try read { (transaction) throws(StorageError) in
            try Reports.made(
                by: user, after: reported, limit: Limits.exportedReports, app: app,
                in: transaction)
        }
        phase = found.next.map { .madeReports(after: $0) } ?? .mentions
        return found.rows.map { record in
            var report = UserReport(record)
            (report.outcome, report.note, report.resolveTimeMs) = (.unspecified, "", 0)
            return ExportUserResponse(.madeReport(report))
        }
    }

    /// The end of the user's sessions, if there is one, and what others have of the user.
    private func mentions() throws(RPCError) -> [ExportUserResponse] {
        phase = .events(after: 0)
        let (found, beforeMs) = try read { (transaction) throws(StorageError) in
            (
                try UserExport.mentions(of: user, app: app, in: transaction),
                try SessionRules.beforeMs(of: user, app: app, in: transaction)
            )
        }
        var end = ExportedSessionEnd()
        end.userID = user.text
        end.beforeTimeMs = beforeMs
        let row = ExportUserResponse(.row(ExportAppResponse(.sessionEnd(end))))
        let ends = beforeMs == 0 ? [] : [row]
        var mentions = ExportedMentions()
        mentions.friends = found.friends
        mentions.blacklists = found.blacklists
        mentions.applications = found.applications
        mentions.subscribers = found.subscribers
        mentions.followers = found.followers
        mentions.dismissals = found.dismissals
        return ends + [ExportUserResponse(.mentions(mentions))]
    }

    private func events(
        after sequence: Int64, _ arena: Arena
    ) throws(RPCError) -> (messages: [ExportUserResponse], isLast: Bool) {
        var last = sequence
        var bytes = 0
        var found: [(sequence: Int64, bytes: [UInt8])] = []
        try read { (transaction) throws(StorageError) in
            try ChangeLog.scan(
                of: user, after: sequence, limit: Limits.exportRows, app: app, in: transaction
            ) { sequence, event in
                guard bytes < Limits.exportBytes else { return .enough }
                (last, bytes) = (sequence, bytes + event.count)
                found.append((sequence, Array(event)))
                return .next
            }
        }
        let isLast = found.count < Limits.exportRows && bytes < Limits.exportBytes
        phase = .events(after: last)
        return (try found.map { (row) throws(RPCError) in try event(row, arena) }, isLast)
    }

    /// The event as ListChanges sends it to administrators.
    private func event(
        _ row: (sequence: Int64, bytes: [UInt8]), _ arena: Arena
    ) throws(RPCError) -> ExportUserResponse {
        guard let bytes = row.bytes.withUnsafeBytes({ arena.copy($0) }) else {
            throw RPCError(.internalError, "an event does not fit into the memory of its call")
        }
        let encoded: Encoded<ChangeEvent>
        do throws(StorageError) {
            encoded = try view.event(bytes, of: user, at: row.sequence, arena)
        } catch {
            throw RPCError(error)
        }
        do throws(CodecError) {
            return ExportUserResponse(.event(try encoded.decoded(arena)))
        } catch {
            throw RPCError(.internalError, "an event of the log does not decode", cause: error)
        }
    }

    func close() {
        points.discard(point)
    }
}
