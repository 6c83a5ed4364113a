public import Protobuf

/// The response of a call that answers one list of a user's follows.
///
/// Each of these calls has a name for its own, such as ``ListFollowersResponse``, which is the
/// message's name in the contract.
public struct FollowListResponse<List: Sendable>: PagedList {
    /// The entries of this page.
    public var entries: [FollowEntry] = []
    public var nextPageToken = ""
    /// How many users the list has.
    public var totalSize: Int32 = 0
    /// The user's sequence when the list, or one that it is made of, last changed.
    public var sequence: Int64 = 0

    @inlinable public init() {}

    public var pageItems: [FollowEntry] { entries }
}

extension FollowListResponse: CodedMessage where List: FollowListNames {
    @usableFromInline package static var schema: Schema { List.responseSchema }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}
