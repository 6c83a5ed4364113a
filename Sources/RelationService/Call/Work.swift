package import GRPC
import Protobuf
package import RPC
import RelationAPI
package import RelationCore
import RelationModel

/// The part of a write that runs after its request has been understood, on the committer's thread.
package struct Work<Response> {
    /// The number of operations that it counts as.
    package var cost = 1
    /// The keys that it reads, so that the keys of a whole batch are read together.
    package var keys = KeyList.empty
    /// Whether the acting user gets an account if it has none.
    package var makesUser = false
    /// How soon a suspension of the acting user forbids it.
    package var action = SuspendedAction.write
    /// Begins what must be done between the commit and the answer; nil for nearly all writes.
    ///
    /// It gets the handle of the call and a closure for the end, and returns whether it has begun.
    package var beforeAnswer: ((CallHandle, Deadline?, @escaping Completion) -> Bool)?
    /// Adds to the answer what came to be known before it; nil for nearly all writes.
    package var atAnswer: ((inout Response) -> Void)?
    package var body: Body

    /// Learns that the answer may go out, or why the call fails; any thread may call it, once.
    package typealias Completion = @Sendable (StorageError?) -> Void

    /// The rule of the call: for each of its items, or for the call as a whole.
    package enum Body {
        case items(ItemsWork<Response>)
        case one((Ledger) throws(StorageError) -> Result<WriteResult<Response>, RPCError>)
    }

    package init(_ body: Body) {
        self.body = body
    }
}

/// A write of several items, each with an answer of its own.
///
/// The table of codes is not a parameter of it: an invocation is generic at run time, and outcomes
/// of a type that is known only then would cost much. So one closure does all items.
package struct ItemsWork<Response> {
    let run:
        (
            ItemsPass, _ begin: () throws(StorageError) -> Ledger?,
            _ close: (Response, ItemsEnd) throws(StorageError) -> Void
        ) throws(StorageError) -> Void
}

extension Work where Response: ItemsResponse<FriendResult> {
    /// The work of a request that names several users.
    ///
    /// - Parameter names: The ids as the request wrote them, which the results repeat.
    static func each<Value>(
        _ prepared: [ValidatedItem<Value, FriendStatus>], named names: [String],
        _ apply: @escaping (Value, Ledger) throws(StorageError) -> FriendOutcome
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
    package static func each<Value, Code>(
        _ prepared: [ValidatedItem<Value, Code>],
        _ apply: @escaping (Value, Ledger) throws(StorageError) -> Outcome<Code>,
        answering respond: @escaping ([Outcome<Code>]) -> Response
    ) -> Work {
        // An item that repeats an earlier one only repeats its answer.
        var indices: [Int] = []
        var original: [Int] = []
        indices.reserveCapacity(prepared.count)
        original.reserveCapacity(prepared.count)
        for (index, item) in prepared.enumerated() {
            if case .same(let earlier) = item {
                indices.append(indices[earlier])
            } else {
                indices.append(original.count)
                original.append(index)
            }
        }
        let items = ItemsWork<Response> {
            [indices, original] (pass, begin, close) throws(StorageError) in
            try pass.run(original.count, begin) {
                (index, ledger) throws(StorageError) -> Outcome<Code> in
                switch prepared[original[index]] {
                case .value(let value): return try apply(value, ledger)
                case .refused(let outcome): return outcome
                case .same: preconditionFailure("an item that repeats another is not applied")
                }
            } answering: { (outcomes, end) throws(StorageError) in
                let all =
                    original.count == prepared.count ? outcomes : indices.map { outcomes[$0] }
                try close(respond(all), end)
            }
        }
        var work = Work(.items(items))
        work.cost = max(1, prepared.count)
        return work
    }
}
