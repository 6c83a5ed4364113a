import GRPC
import Protobuf
package import RPC
package import RelationAPI
package import RelationCore
package import RelationModel

/// The point in a user's sequence that a read must have reached, and what the read does if a
/// standby has not.
///
/// A read of the store itself sees all that was committed before it began. So every sequence that a
/// call ever answered has been reached there, and one that has not been reached was never issued. A
/// standby may lack it.
package struct LeastSequence: Sendable {
    let user: UserID?
    let sequence: Int64
    package let ifBehind: IfBehind

    package static var any: LeastSequence { LeastSequence(user: nil, sequence: 0) }

    init(user: UserID?, sequence: Int64, ifBehind: IfBehind = .unspecified) {
        self.user = user
        self.sequence = sequence
        self.ifBehind = ifBehind
    }

    /// Reads the sequence that a read of `actor` must have reached.
    ///
    /// The sequence is the actor's own, unless the options name another user.
    ///
    /// - Parameter mayBePast: Whether the call reads at a past moment if the options name one.
    package init(
        _ options: ReadOptions?, of actor: UserID, mayBePast: Bool = false,
        _ violations: inout Violations
    ) {
        guard let options else {
            self = .any
            return
        }
        violations.known(options.ifBehind, "options.if_behind")
        if options.asOfMs != 0, !mayBePast {
            violations.add(
                "options.as_of_ms",
                "is for ListFriends, GetRelations and GetProfiles; this call reads the present")
        }
        guard let least = options.minSequence else {
            self.init(user: nil, sequence: 0, ifBehind: options.ifBehind)
            return
        }
        let field = "options.min_sequence"
        if least.sequence < 0 { violations.add("\(field).sequence", "is negative") }
        let other = least.userID.isEmpty ? nil : violations.user(least.userID, "\(field).user_id")
        self.init(user: other ?? actor, sequence: least.sequence, ifBehind: options.ifBehind)
    }

    /// Whether any view will do, so that no row has to say it.
    package var isAny: Bool { user == nil || sequence <= 0 }

    package func isReached(
        _ app: App, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        guard let user, !isAny else { return true }
        return try Accounts.sequence(of: user, app: app, in: transaction) >= sequence
    }

    /// No standby has what the read must see, and it may not ask the primary.
    package var isBehind: RPCError {
        let what =
            isAny
            ? "no standby is as recent as the server's settings ask"
            : "no standby shows the sequence \(sequence) of user \(user?.text ?? "")"
        return RPCError(
            .unavailable, .behind, what,
            .retryAfter(milliseconds: AnswerLimits.behindRetryMilliseconds))
    }

    package var notIssued: RPCError {
        var violations = Violations()
        violations.add(
            "options.min_sequence", "user \(user?.text ?? "") has not reached \(sequence)",
            reason: .sequenceNotIssued)
        return violations.error
    }
}
