package import GRPC
import Protobuf
package import RelationAPI
package import RelationCore
package import RelationModel
package import Storage

/// What a read does once its request has been understood: nil means that the acting user is no
/// account.
package typealias Reading<Response> =
    (any ReadTransaction) throws(StorageError) -> Response?

/// What a write does once its request has been understood, on the committer's thread.
package struct Work<Response: WriteResponse> {
    /// How many operations it counts as.
    package var cost = 1
    /// What it reads, so that a batch's keys are read together.
    package var keys = KeyList()
    /// Whether the acting user becomes an account if it is none.
    package var makesUser = false
    package let body: Body

    package enum Body {
        case items(Items<Response>)
        case one((Ledger) throws(StorageError) -> Result<Single<Response>, RPCError>)
    }

    package init(_ body: Body) {
        self.body = body
    }
}

/// The answer of a write that is one thing as a whole, and whether it did anything.
package struct Single<Response> {
    let response: Response
    let applied: Bool
    /// The answer to a repeated request, if it has less than this one: secrets are told once.
    var kept: Response?
}

/// A write of several items, each of which is answered by itself.
package struct Items<Response> {
    let count: Int
    /// Does one item, or refuses it and changes nothing.
    let apply: (Int, Ledger) throws(StorageError) -> Outcome
    let respond: ([Outcome]) -> Response
}

/// One item of a request, once its own fields have been looked at.
package enum Prepared<Value> {
    case value(Value)
    /// The item is malformed.
    case refused(Outcome)
    /// The item says what the one at this place says: it has the same answer, and is done once.
    case same(as: Int)
}

extension Work where Response: ItemsResponse {
    /// The work of a request that names several users.
    ///
    /// - Parameter names: The ids as the request wrote them, which the results repeat.
    package static func each<Value>(
        _ prepared: [Prepared<Value>], named names: [String],
        _ apply: @escaping (Value, Ledger) throws(StorageError) -> Outcome
    ) -> Work {
        each(prepared, apply) { outcomes in
            var response = Response()
            response.results = zip(names, outcomes).map(FriendResult.init)
            return response
        }
    }
}

extension Work {
    /// The work of a request on several things of any kind.
    package static func each<Value>(
        _ prepared: [Prepared<Value>],
        _ apply: @escaping (Value, Ledger) throws(StorageError) -> Outcome,
        answering respond: @escaping ([Outcome]) -> Response
    ) -> Work {
        let items = Items<Response>(
            count: prepared.count,
            apply: { (place, ledger) throws(StorageError) in
                switch prepared[place] {
                case .value(let value): return try apply(value, ledger)
                case .refused(let outcome): return outcome
                case .same: preconditionFailure("an item that repeats another is not applied")
                }
            },
            respond: respond)
        var work = Work(.items(items.repeating(prepared)))
        work.cost = max(1, prepared.count)
        return work
    }
}

extension Items {
    /// The same items, of which some only repeat the answer of an earlier one.
    fileprivate func repeating<Value>(_ prepared: [Prepared<Value>]) -> Items {
        var places: [Int] = []
        var original: [Int] = []
        for (place, item) in prepared.enumerated() {
            if case .same(let earlier) = item {
                places.append(places[earlier])
            } else {
                places.append(original.count)
                original.append(place)
            }
        }
        guard original.count < prepared.count else { return self }
        return Items(
            count: original.count,
            apply: { (place, ledger) throws(StorageError) in
                try self.apply(original[place], ledger)
            },
            respond: { outcomes in self.respond(places.map { outcomes[$0] }) })
    }
}

extension FriendResult {
    package init(_ userID: String, _ outcome: Outcome) {
        self.init()
        self.userID = userID.echoed()
        code = outcome.code
        info = outcome.reason.description
    }
}

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
    mutating func refuse(_ refusal: Refusal, for key: Key) {
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
