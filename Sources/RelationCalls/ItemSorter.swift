import GRPC
import Protobuf
import RelationAPI
import RelationCore
package import RelationModel
import Storage

/// Sorts out the items of a request: what is malformed, and what stands there twice.
package struct ItemSorter<Key: Hashable, Value: Equatable> {
    private let duplicate: Reason
    private var places: [Key: Int] = [:]
    private(set) package var prepared: [Prepared<Value>] = []

    /// - Parameter duplicate: The reason of an item whose key was seen with other content.
    package init(duplicate: Reason) {
        self.duplicate = duplicate
    }

    /// Takes an item that is malformed: one that follows under its key says something else.
    package mutating func refuse(_ refusal: Refusal, for key: Key) {
        if places[key] == nil { places[key] = prepared.count }
        prepared.append(.refused(refusal.outcome))
    }

    package mutating func add(_ value: Value, for key: Key) {
        guard let place = places[key] else {
            places[key] = prepared.count
            return prepared.append(.value(value))
        }
        guard case .value(let first) = prepared[place], first == value else {
            return refuse(Refusal(duplicate), for: key)
        }
        prepared.append(.same(as: place))
    }
}
