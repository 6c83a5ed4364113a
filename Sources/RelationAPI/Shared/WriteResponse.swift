package import Protobuf

/// The answer to a write: the fields that all of them begin with.
package protocol WriteResponse: CodedMessage {
    /// The acting user's sequence after the write.
    var sequence: Int64 { get set }
    /// Whether at least one row changed; `changed` of the results tells which items did it.
    var applied: Bool { get set }
    /// Whether this is the answer of an earlier request with the same `request_id`.
    var replayed: Bool { get set }
}

/// The answer to a write of several items, which says one result for each.
package protocol ItemsResponse: WriteResponse {
    /// One outcome for each item of the request, in its order.
    var results: [FriendResult] { get set }
}
