import Memory
import RPC
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel
import RelationRuntime

/// One stream of an export.
///
/// `@unchecked Sendable`: batches come one after another, in an order that the queues keep. Only
/// ``close()`` may come at the same time, and it touches only state that a lock guards.
final class ExportSource: BatchSource, @unchecked Sendable {
    private let points: ExportPoints
    private let point: ExportPoints.Point
    private let app: App
    private let clock: ServiceClock
    private var least: LeastSequence?
    private var token: ExportToken
    /// About the number of rows that it sends at a time.
    var batchRows = Limits.exportRows
    /// Whether the rows of credentials have what opens them.
    var hasSecrets = false
    private var areDefinitionsSent = false

    init(
        _ points: ExportPoints, _ point: ExportPoints.Point, _ app: App, _ token: ExportToken?,
        _ least: LeastSequence, _ clock: ServiceClock
    ) {
        self.points = points
        self.point = point
        self.app = app
        self.clock = clock
        self.least = least
        self.token = token ?? ExportToken(point: point.id)
    }

    func next(_ arena: Arena) throws(RPCError) -> (messages: [ExportAppResponse], isLast: Bool) {
        if let least {
            self.least = nil
            let isReached = try points.read(point, at: clock.now()) {
                (transaction) throws(StorageError) in
                try least.isReached(app, in: transaction)
            }
            guard isReached else { throw least.notIssued }
            guard try isOfSameApp() else { throw .pointGone }
            return ([message(isLast: false)], false)
        }
        // A token of rows that were sent stands after the definitions, which are the first.
        if token.rows == 0, !areDefinitionsSent {
            areDefinitionsSent = true
            return (try definitions() + [message(isLast: false)], false)
        }
        let batch = try points.read(point, at: clock.now()) {
            (transaction) throws(StorageError) in
            try AppExport.next(
                of: app, after: token.position, limit: batchRows, in: transaction)
        }
        token.position = batch.position
        token.rows += Int64(batch.rows.count)
        let texts = ExportedTexts(app.settings)
        let rows = batch.rows.map { ExportAppResponse($0, at: point.time, texts) }
        return (rows + [message(isLast: batch.isLast)], batch.isLast)
    }

    /// The rows that define the app; none for an app that the registry does not have.
    private func definitions() throws(RPCError) -> [ExportAppResponse] {
        let (app, hasSecrets) = (app, hasSecrets)
        let rows = try points.read(point, at: clock.now()) {
            (transaction) throws(StorageError) -> [ExportAppResponse] in
            guard let record = try AppRules.record(of: app.id, in: transaction) else { return [] }
            let credentials = try CredentialRules.list(of: app, in: transaction)
            return ExportAppResponse.definitions(
                of: app.id, record, credentials,
                try SessionRules.all(of: app, record.history, in: transaction),
                withSecrets: hasSecrets)
        }
        token.rows += Int64(rows.count)
        return rows
    }

    /// Whether the app of the snapshot is the present app, and not an earlier one with the same
    /// number.
    private func isOfSameApp() throws(RPCError) -> Bool {
        let body = { [app] (transaction: any ReadTransaction) throws(StorageError) -> Int64? in
            try AppRules.record(of: app.id, in: transaction)?.createdMs
        }
        let then = try points.read(point, at: clock.now(), body)
        return try points.readNow(body) == then
    }

    private func message(isLast: Bool) -> ExportAppResponse {
        var message = ExportPoint()
        message.resumeToken = token.text(of: app)
        message.timeMs = point.time.milliseconds
        message.rows = token.rows
        message.complete = isLast
        message.format = Limits.exportFormat
        return ExportAppResponse(.point(message))
    }

    func close() {
        points.end(point, at: clock.now())
    }
}
