import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel

/// The call of MaintenanceService that reads audits.
enum AuditHandlers {
    static func register(in router: Router) {
        let apps = router.apps
        router.read(MaintenanceMethods.listAuditRecords) { request, call, violations in
            list(
                request, call, &violations, days: apps.audit.days,
                everyCall: apps.audit.calls.isOn)
        }
    }

    /// - Parameters:
    ///   - days: For how many days the server keeps records; 0 if it makes none.
    ///   - everyCall: Whether it records every call.
    static func list(
        _ request: ListAuditRecordsRequest, _ call: Call, _ violations: inout Violations, days: Int,
        everyCall: Bool = false
    ) -> Reading<ListAuditRecordsResponse> {
        if request.ofServer, !call.isOperator { violations.refuse(.missing(.operator)) }
        if request.afterSequence < 0 {
            violations.add("after_sequence", "is \(request.afterSequence); it must not be negative")
        }
        let query = "ListAuditRecords \(mark: call.app) \(request.ofServer)"
        let limit = Page.rows(request.pageSize, &violations)
        let cursor = PageToken.cursor(request.pageToken, of: query)
        if cursor?.count != 8, !request.pageToken.isEmpty { violations.pageToken() }
        let after =
            request.pageToken.isEmpty
            ? UInt64(max(0, request.afterSequence))
            : cursor?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
        let app = request.ofServer ? App.registry : call.app
        return Reading { (transaction) throws(StorageError) in
            let rows = try AuditChain.page(
                after: after, limit: limit + 1, of: app, in: transaction)
            let summary = try AuditChain.summary(of: app, in: transaction)
            var response = ListAuditRecordsResponse()
            response.records = rows.prefix(limit).map(AuditRecord.init)
            if rows.count > limit, let last = response.records.last {
                response.nextPageToken = PageToken.text(
                    UInt64(last.sequence).bytes, of: query)
            }
            response.totalSize = Int32(clamping: summary.count)
            response.lastSequence = Int64(clamping: summary.last)
            response.lastHash = summary.hash
            response.auditDays = Int32(clamping: days)
            response.recordsEveryCall = everyCall
            return response
        }
    }
}

extension AuditRecord {
    fileprivate init(_ row: AuditRow) {
        self.init()
        sequence = row.sequence
        kind = row.kind
        timeMs = row.timeMs
        method = row.method
        caller = row.caller
        callerName = row.callerName
        userID = row.userID
        userSalt = row.userSalt
        userDigest = row.userDigest
        code = row.code
        reason = row.reason
        requestID = row.requestID
        requestBytes = row.requestBytes
        applied = row.applied
        address = row.address
        count = row.count
        subject = row.subject
        subjectHash = row.subjectHash
        previousHash = row.previousHash
        hash = row.hash
        requestDigest = row.requestDigest
    }
}
