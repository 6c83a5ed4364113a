public import Protobuf

/// The request of a call that answers one list of a user's follows.
///
/// Each of these calls has a name for its own, such as ``ListFollowersRequest``, which is the
/// message's name in the contract.
public struct FollowListRequest<List: Sendable>: PagedRequest {
    /// The acting user, whose list it is.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The most entries to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller.
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    @inlinable public init() {}
}

extension FollowListRequest: CodedMessage, ReadRequest, UserReadRequest, SizedReadRequest,
    JoiningRequest
where List: FollowListNames {
    @usableFromInline package static var schema: Schema { List.requestSchema }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "with_profiles", &withProfiles)
        visitor.field(6, "profile_mask", &profileMask)
    }

    package var readSize: ReadSize { withProfiles ? .scan : .list(pageSize) }
}
