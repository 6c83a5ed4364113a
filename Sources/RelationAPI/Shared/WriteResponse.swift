package import Protobuf

/// The answer to a write: the fields that all of them begin with.
package protocol WriteResponse: CodedMessage {
    var sequence: Int64 { get set }
    var applied: Bool { get set }
    var replayed: Bool { get set }
}

/// The answer to a write of several items, which says one result for each.
package protocol ItemsResponse: WriteResponse {
    var results: [FriendResult] { get set }
}
