package import GRPC
import Protobuf
package import RPC
package import RelationAPI
package import RelationCore
import RelationModel
import Storage

/// The part of a write that runs after its request has been understood, on the committer's thread.
package struct Work<Response: WriteResponse> {
    /// The number of operations that it counts as.
    package var cost = 1
    /// The keys that it reads, so that the keys of a whole batch are read together.
    package var keys = KeyList()
    /// Whether the acting user gets an account if it has none.
    package var makesUser = false
    /// Begins what must be done between the commit and the answer; nil for nearly all writes.
    ///
    /// It gets the handle of the call and a closure for the end, and returns whether it has begun.
    package var beforeAnswer: ((CallHandle, Deadline?, @escaping Ending) -> Bool)?
    package let body: Body

    /// Learns that the answer may go out, or why the call fails; any thread may call it, once.
    package typealias Ending = @Sendable (StorageError?) -> Void

    package enum Body {
        case items(Items<Response>)
        case one((Ledger) throws(StorageError) -> Result<WriteResult<Response>, RPCError>)
    }

    package init(_ body: Body) {
        self.body = body
    }
}

/// A write of several items, each with an answer of its own.
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
        _ prepared: [ValidatedItem<Value>], named names: [String],
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
    /// The work of a request on several items of any kind.
    package static func each<Value>(
        _ prepared: [ValidatedItem<Value>],
        _ apply: @escaping (Value, Ledger) throws(StorageError) -> Outcome,
        answering respond: @escaping ([Outcome]) -> Response
    ) -> Work {
        let items = Items<Response>(
            count: prepared.count,
            apply: { (index, ledger) throws(StorageError) in
                switch prepared[index] {
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
    /// The same items, where an item that repeats an earlier one only repeats its answer.
    fileprivate func repeating<Value>(_ prepared: [ValidatedItem<Value>]) -> Items {
        var indices: [Int] = []
        var original: [Int] = []
        for (index, item) in prepared.enumerated() {
            if case .same(let earlier) = item {
                indices.append(indices[earlier])
            } else {
                indices.append(original.count)
                original.append(index)
            }
        }
        guard original.count < prepared.count else { return self }
        return Items(
            count: original.count,
            apply: { (index, ledger) throws(StorageError) in
                try self.apply(original[index], ledger)
            },
            respond: { outcomes in self.respond(indices.map { outcomes[$0] }) })
    }
}
