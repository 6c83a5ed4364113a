import GRPC
import Protobuf
package import RPC
package import RelationAPI
package import RelationCore
package import RelationModel

/// The point in a user's sequence that a read must have reached.
///
/// This process issues every sequence, and a read sees all that was committed before it began. So
/// every sequence that a call ever answered has been reached. A sequence that has not been reached
/// was never issued.
package struct LeastSequence: Sendable {
    let user: UserID?
    let sequence: Int64

    package static let any = LeastSequence(user: nil, sequence: 0)

    init(user: UserID?, sequence: Int64) {
        self.user = user
        self.sequence = sequence
    }

    /// Reads the sequence that a read of `actor` must have reached.
    ///
    /// The sequence is the actor's own, unless the options name another user.
    package init(_ options: ReadOptions?, of actor: UserID, _ faults: inout Violations) {
        guard let least = options?.minSequence else {
            self = .any
            return
        }
        let field = "options.min_sequence"
        if least.sequence < 0 { faults.add("\(field).sequence", "is negative") }
        let other = least.userID.isEmpty ? nil : faults.user(least.userID, "\(field).user_id")
        self.init(user: other ?? actor, sequence: least.sequence)
    }

    /// Whether any view will do, so that no row has to say it.
    package var isAny: Bool { user == nil || sequence <= 0 }

    package func isReached(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard let user, !isAny else { return true }
        return try Accounts.sequence(of: user, app: app, in: transaction) >= sequence
    }

    package var notIssued: RPCError {
        var faults = Violations()
        faults.add(
            "options.min_sequence", "user \(user?.text ?? "") has not reached \(sequence)",
            reason: .sequenceNotIssued)
        return faults.error
    }
}
