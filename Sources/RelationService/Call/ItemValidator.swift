import Protobuf
import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// Sorts out the items of a request: which are malformed, and which the request has twice.
///
/// A text is keyed as an ``ExactText``: two ids that look alike are two.
package struct ItemValidator<Key: Hashable, Value: Equatable, Code: OutcomeCode> {
    private let duplicate: Outcome<Code>
    private var indices: [Key: Int] = [:]
    private(set) package var prepared: [ValidatedItem<Value, Code>] = []

    /// - Parameter duplicate: The answer to an item if an earlier item has its key and other
    ///   content.
    package init(duplicate: Outcome<Code>) {
        self.duplicate = duplicate
    }

    /// Takes a malformed item: any later item under its key is refused as different.
    package mutating func refuse(_ outcome: Outcome<Code>, for key: Key) {
        if indices[key] == nil { indices[key] = prepared.count }
        prepared.append(.refused(outcome))
    }

    package mutating func add(_ value: Value, for key: Key) {
        guard let index = indices[key] else {
            indices[key] = prepared.count
            return prepared.append(.value(value))
        }
        guard case .value(let first) = prepared[index], first == value else {
            return refuse(duplicate, for: key)
        }
        prepared.append(.same(as: index))
    }
}

/// Sorts out items about friends and their like.
package typealias FriendItemValidator<Key: Hashable, Value: Equatable> =
    ItemValidator<Key, Value, FriendStatus>

extension ItemValidator where Code == FriendStatus {
    /// - Parameter duplicate: The reason for refusing an item if an earlier item has its key and
    ///   other content.
    package init(duplicate: Reason) {
        self.init(duplicate: Outcome(.invalidParameter, duplicate))
    }

    /// Takes the item that `read` reads, or refuses it with the refusal that `read` throws.
    mutating func add(for key: Key, _ read: () throws(FriendRefusal) -> Value) {
        do throws(FriendRefusal) {
            add(try read(), for: key)
        } catch {
            refuse(error.outcome, for: key)
        }
    }
}
