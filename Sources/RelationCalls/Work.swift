package import GRPC
import Protobuf
package import RelationAPI
package import RelationCore
import RelationModel
package import Storage

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

/// A write of several items, each of which is answered by itself.
package struct Items<Response> {
    package let count: Int
    /// Does one item, or refuses it and changes nothing.
    package let apply: (Int, Ledger) throws(StorageError) -> Outcome
    package let respond: ([Outcome]) -> Response
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
