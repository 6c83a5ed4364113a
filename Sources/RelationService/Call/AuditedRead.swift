import GRPC
import RPC
import RelationAdmission
import RelationCore
import RelationModel

/// A read of a caller with the scope `admin` or `operator`, on a server that records every call:
/// its slot among the records that wait.
///
/// It releases the slot if the call ends without an answer, as when its client goes away while
/// it waits for a thread.
///
/// `@unchecked Sendable`: one thread has it at a time, and the queue between them orders memory.
final class AuditedRead: @unchecked Sendable {
    private let calls: AuditedCalls
    private let app: UInt32
    private let row: AuditRow
    private let now: Timestamp
    private var isNoted = false
    /// The user for whom the call acts, once the request is understood.
    var user: UserID?

    /// - Throws: ``RPCError``: RESOURCE_EXHAUSTED if too many records wait.
    init(
        _ caller: Caller, _ served: ServerCall, bytes: Int, in audit: AuditTrail,
        at now: Timestamp
    ) throws(RPCError) {
        try audit.calls.enter()
        calls = audit.calls
        app = caller.app.id
        self.now = now
        var row = AuditTrail.row(.call, caller, served.path, from: served.peer)
        row.requestBytes = Int64(bytes)
        self.row = row
    }

    deinit {
        if !isNoted { calls.release() }
    }

    /// Records the call, before its answer goes out.
    ///
    /// A refusal for lack of a right is recorded as such, and not once more.
    func note(_ error: RPCError? = nil) {
        guard !isNoted, error?.code != .permissionDenied, error?.code != .unauthenticated
        else { return }
        isNoted = true
        var row = row
        row.userID = user?.text ?? row.userID
        if let error { AuditTrail.set(error, in: &row) }
        calls.note(row, app: app, at: now)
    }
}
