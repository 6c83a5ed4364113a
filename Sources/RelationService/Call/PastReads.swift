import GRPC
import RPC
import RelationAPI
import RelationAdmission
import RelationCalls
import RelationCore
import RelationModel

/// The reads that look at a past moment if their options name one.
///
/// They need the scope `admin`, as ListHistory does. A user that may see a field today must not
/// learn what it was. Its owner may have taken the value back, or may have hidden the field then,
/// and no history has who saw what.
enum PastReads {
    /// Their paths.
    static let calls: Set<String> = [
        "/relation.v1.FriendService/ListFriends", "/relation.v1.FriendService/GetRelations",
        "/relation.v1.ProfileService/GetProfiles",
    ]

    /// Has a call read at the moment that its options name.
    static func move(_ call: inout Call, to moment: Int64, _ violations: inout Violations) {
        if !call.isAdmin { violations.refuse(.missing(.admin)) }
        if moment < 0 {
            violations.add("options.as_of_ms", "is \(moment); it must not be negative")
        } else if moment > call.now.milliseconds {
            violations.add("options.as_of_ms", "is \(moment); it must not be later than now")
        }
        call.read(at: Timestamp(milliseconds: moment))
    }

    static func error(_ refusal: PastRefusal) -> RPCError {
        switch refusal {
        case .notKept(let since):
            let what =
                since.map { "is before \($0), where the app's history begins" }
                ?? "needs a history, and this app keeps none"
            return RPCError(
                .failedPrecondition, .historyNotKept, "options.as_of_ms: \(what)",
                metadata: ["since_time_ms": "\(since ?? 0)"])
        case .tooManyEntries(let limit):
            return RPCError(
                .failedPrecondition, .tooManyChanges,
                "options.as_of_ms: more than \(limit) changes have to be looked at since then",
                metadata: ["limit": "\(limit)"])
        case .tooManyBytes(let limit):
            return RPCError(
                .failedPrecondition, .tooManyChanges,
                "options.as_of_ms: changes of more than \(limit) bytes have to be looked at since "
                    + "then",
                metadata: ["limit_bytes": "\(limit)"])
        }
    }
}
