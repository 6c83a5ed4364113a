import RelationCore
import RelationModel

/// The calls that one record of an audit stands for: those that differ in nothing but their time.
struct CountedCalls: Hashable {
    let app: UInt32
    private let kind: Int32
    private var method = ""
    private var caller = ""
    private var callerName = ""
    private var user = ""
    private var address = ""
    private let code: Int32
    private let reason: String

    init(_ row: AuditRow, _ app: UInt32) {
        self.init(ofAllLike: row, app)
        (method, address) = (row.method, row.address)
        (caller, callerName, user) = (row.caller, row.callerName, row.userID)
    }

    /// The calls of an app with one outcome, of whatever callers.
    init(ofAllLike row: AuditRow, _ app: UInt32) {
        self.app = app
        (kind, code, reason) = (row.kind.rawValue, row.code, row.reason)
    }

    var isRefusal: Bool { kind == AuditKind.refusal.rawValue }

    /// The record of so many of them.
    func row(_ count: CallCount) -> AuditRow {
        var row = AuditRow()
        row.kind = AuditKind(rawValue: kind)
        row.timeMs = count.lastMs
        (row.method, row.address) = (method, address)
        (row.caller, row.callerName, row.userID) = (caller, callerName, user)
        (row.code, row.reason) = (code, reason)
        (row.count, row.requestBytes) = (count.calls, count.bytes)
        return row
    }
}
