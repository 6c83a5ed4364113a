import Protobuf
import RelationAPI
package import RelationCalls
import RelationCore
package import RelationModel

/// Sorts out the items of a request: which are malformed, and which the request has twice.
package struct ItemValidator<Key: Hashable, Value: Equatable> {
    private let duplicate: Reason
    private var indices: [Key: Int] = [:]
    private(set) package var prepared: [ValidatedItem<Value>] = []

    /// - Parameter duplicate: The reason for refusing an item if an earlier item has its key and
    ///   other content.
    package init(duplicate: Reason) {
        self.duplicate = duplicate
    }

    /// Takes a malformed item: any later item under its key is refused as different.
    package mutating func refuse(_ refusal: Refusal, for key: Key) {
        if indices[key] == nil { indices[key] = prepared.count }
        prepared.append(.refused(refusal.outcome))
    }

    package mutating func add(_ value: Value, for key: Key) {
        guard let index = indices[key] else {
            indices[key] = prepared.count
            return prepared.append(.value(value))
        }
        guard case .value(let first) = prepared[index], first == value else {
            return refuse(Refusal(duplicate), for: key)
        }
        prepared.append(.same(as: index))
    }
}
