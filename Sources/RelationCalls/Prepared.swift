import GRPC
import Protobuf
import RelationAPI
package import RelationCore
package import RelationModel
import Storage

/// One item of a request, once its own fields have been looked at.
package enum Prepared<Value> {
    case value(Value)
    /// The item is malformed.
    case refused(Outcome)
    /// The item says what the one at this place says: it has the same answer, and is done once.
    case same(as: Int)
}

extension [Prepared<UserID>] {
    /// The users whom a rule is asked about.
    package var values: [UserID] {
        compactMap { if case .value(let user) = $0 { user } else { nil } }
    }
}

extension [String] {
    /// Ids as items: the same id twice has the same answer, whatever the rule.
    package func prepared(illegal reason: Reason) -> [Prepared<UserID>] {
        prepared(refusing: Outcome(.invalidParameter, reason))
    }

    /// The same with what a malformed id is answered.
    package func prepared(refusing outcome: Outcome) -> [Prepared<UserID>] {
        var items = ItemSorter<String, UserID>(duplicate: outcome.reason)
        for id in self {
            if let user = UserID(id) {
                items.add(user, for: id)
            } else {
                items.refuse(Refusal(outcome), for: id)
            }
        }
        return items.prepared
    }
}
