import GRPC
import RPC
import RelationAdmission
import RelationCore
import RelationModel

/// A write that is audited: the facts that are known before it runs.
///
/// An object, so that a write that is not audited carries no more than one word for it.
package final class AuditedWrite: Sendable {
    private let row: AuditRow

    init(_ caller: Caller, _ served: ServerCall, bytes: Int) {
        var row = AuditTrail.row(.call, caller, served.path, from: served.peer)
        row.requestBytes = Int64(bytes)
        self.row = row
    }

    /// The record of the call, with its outcome.
    func row(
        for user: UserID?, requestID: String, applied: Bool, _ error: RPCError?, at now: Timestamp
    ) -> AuditRow {
        var row = row
        row.timeMs = now.milliseconds
        row.userID = user?.text ?? ""
        row.requestID = requestID
        row.applied = applied
        if let error { AuditTrail.set(error, in: &row) }
        return row
    }
}
