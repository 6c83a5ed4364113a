import GRPC
import RPC
import RelationAdmission
import RelationCore
import RelationModel

/// A write of a server that keeps an audit: the facts that are known before it runs.
///
/// An object, so that a write carries no more than one word for it without an audit.
package final class AuditedWrite: Sendable {
    private let row: AuditRow
    /// Whether the call has a record though it is not refused.
    let isCall: Bool
    /// Whether it has one even if it has changed nothing: the server records every call.
    let isOfEvery: Bool

    init(_ caller: Caller, _ served: ServerCall, bytes: Int, in audit: AuditTrail) {
        isCall = caller.isAdmin
        isOfEvery = caller.isAdmin && audit.calls.isOn
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

    /// The record of a call that failed before it wrote, where every call is recorded; nil
    /// otherwise, and for a refusal.
    func failure(_ error: RPCError) -> AuditRow? {
        guard isOfEvery, error.code != .permissionDenied, error.code != .unauthenticated
        else { return nil }
        var row = row
        AuditTrail.set(error, in: &row)
        return row
    }

    /// The record of a refusal for lack of a right; nil if `error` is another one.
    func refusal(_ error: RPCError) -> AuditRow? {
        guard error.code == .permissionDenied else { return nil }
        var row = row
        row.kind = .refusal
        row.requestBytes = 0
        AuditTrail.set(error, in: &row)
        return row
    }
}
