package import Memory
public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/blacklist.proto, where every field is explained.

/// A row of a user's blacklist.
public struct BlacklistEntry: CodedMessage, CodedRow {
    /// The blacklisted user.
    public var userID = ""
    /// When the user was put on the blacklist.
    public var addTimeMs: Int64 = 0
    /// The fields of the user's profile that the caller may see.
    public var profile: Profile?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.BlacklistEntry", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "add_time_ms", &addTimeMs)
        visitor.field(3, "profile", &profile)
    }
}

/// The request of AddToBlacklist.
public struct AddToBlacklistRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users to blacklist: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.AddToBlacklistRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.AddToBlacklistResponse", AddToBlacklistResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of AddToBlacklist.
public typealias AddToBlacklistResponse = ItemsAnswer<AddToBlacklistRequest, FriendResult>

/// The request of RemoveFromBlacklist.
public struct RemoveFromBlacklistRequest: WriteRequest, ItemsRequest {
    public var userID = ""
    public var options: WriteOptions?
    /// The users to remove: 1 to 1000.
    public var userIDs: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RemoveFromBlacklistRequest", Self.self)

    @usableFromInline package static let answerSchema = Schema(
        "relation.v1.RemoveFromBlacklistResponse", RemoveFromBlacklistResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

/// The response of RemoveFromBlacklist.
public typealias RemoveFromBlacklistResponse = ItemsAnswer<RemoveFromBlacklistRequest, FriendResult>

/// The request of ListBlacklist.
public struct ListBlacklistRequest:
    UserReadRequest, SizedReadRequest, PagedRequest, JoiningRequest
{
    /// The acting user, whose blacklist is listed.
    public var userID = ""
    public var options: ReadOptions?
    /// The most entries to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to answer, for each user, the fields of its profile that GetProfiles answers to the
    /// caller (ours).
    public var withProfiles = false
    /// The fields of Profile to answer; empty means all.
    public var profileMask: FieldMask?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListBlacklistRequest", Self.self)

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

/// The response of ListBlacklist.
public typealias ListBlacklistResponse = ListBlacklistResponseForm<BlacklistEntry>

/// ``ListBlacklistResponse`` as the service has it: its rows are kept as their bytes.
package typealias ListBlacklistResponseView = ListBlacklistResponseForm<Encoded<BlacklistEntry>>

/// The response of ListBlacklist.
///
/// A client has ``ListBlacklistResponse``, whose rows are of type ``BlacklistEntry``.
public struct ListBlacklistResponseForm<Row: Message>: PagedList {
    /// The entries of this page.
    public var entries: [Row] = []
    public var nextPageToken = ""
    /// How many users are on the blacklist.
    public var totalSize: Int32 = 0
    /// The user's sequence when the blacklist last changed.
    public var sequence: Int64 = 0

    @inlinable public init() {}

    public var pageItems: [Row] { entries }
}

extension ListBlacklistResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { listBlacklistResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "sequence", &sequence)
    }
}

private let listBlacklistResponse = FormSchemas(
    "relation.v1.ListBlacklistResponse", ListBlacklistResponse.self, ListBlacklistResponseView.self)

/// The request of CheckBlacklist.
public typealias CheckBlacklistRequest = CheckBlacklistRequestForm<String>

/// ``CheckBlacklistRequest`` as the service has it: its strings are views.
package typealias CheckBlacklistRequestView = CheckBlacklistRequestForm<Text>

/// The request of CheckBlacklist.
///
/// A client has ``CheckBlacklistRequest``, whose strings are `String`.
public struct CheckBlacklistRequestForm<Characters: TextForm>: Message {
    /// The acting user.
    public var userID = Characters()
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users to look for: 1 to 1000.
    public var userIDs: [Characters] = []
    /// The blacklists to look at.
    public var checkType = BlacklistCheckType.unspecified

    @inlinable public init() {}
}

extension CheckBlacklistRequestForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkBlacklistRequest }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "check_type", &checkType)
    }
}

extension CheckBlacklistRequestForm: ReadRequest, SizedReadRequest, NamingReadRequest
where Characters == Text {
    package var actingUser: String { String(userID) }

    package static var users: NamedUsers { checkBlacklistUsers }
}

private let checkBlacklistUsers = NamedUsers(CheckBlacklistRequestView.schema, rows: 3)

private let checkBlacklistRequest = Schema(
    "relation.v1.CheckBlacklistRequest", CheckBlacklistRequest.self)

/// The response of CheckBlacklist.
public typealias CheckBlacklistResponse = CheckBlacklistResponseForm<String>

/// ``CheckBlacklistResponse`` as the service has it: its strings are views.
package typealias CheckBlacklistResponseView = CheckBlacklistResponseForm<Text>

/// The response of CheckBlacklist.
///
/// A client has ``CheckBlacklistResponse``, whose strings are `String`.
public struct CheckBlacklistResponseForm<Characters: TextForm>: Message {
    /// One outcome for each id of the request, in its order.
    public var results: [CheckBlacklistResultForm<Characters>] = []

    @inlinable public init() {}
}

extension CheckBlacklistResponseForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkBlacklistResponse }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

private let checkBlacklistResponse = Schema(
    "relation.v1.CheckBlacklistResponse", CheckBlacklistResponse.self)

/// How one user and the caller stand on each other's blacklists.
public typealias CheckBlacklistResult = CheckBlacklistResultForm<String>

/// ``CheckBlacklistResult`` as the service has it: its strings are views.
package typealias CheckBlacklistResultView = CheckBlacklistResultForm<Text>

/// How one user and the caller stand on each other's blacklists.
///
/// A client has ``CheckBlacklistResult``, whose strings are `String`.
public struct CheckBlacklistResultForm<Characters: TextForm>: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = Characters()
    /// The outcome, always set.
    public var code: FriendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = Characters()
    /// Which of the two has the other on its blacklist; set if `code` is 0, also if it is NO.
    public var relation: BlacklistRelation?

    @inlinable public init() {}
}

extension CheckBlacklistResultForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { checkBlacklistResult }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "relation", &relation)
    }
}

private let checkBlacklistResult = Schema(
    "relation.v1.CheckBlacklistResult", CheckBlacklistResult.self)

/// The request of CanSend.
public typealias CanSendRequest = CanSendRequestForm<String>

/// ``CanSendRequest`` as the service has it: its strings are views.
package typealias CanSendRequestView = CanSendRequestForm<Text>

/// The request of CanSend.
///
/// A client has ``CanSendRequest``, whose strings are `String`.
public struct CanSendRequestForm<Characters: TextForm>: Message {
    /// The acting user: the sender.
    public var userID = Characters()
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The receivers: 1 to 1000.
    public var userIDs: [Characters] = []

    @inlinable public init() {}
}

extension CanSendRequestForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { canSendRequest }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
    }
}

extension CanSendRequestForm: ReadRequest, SizedReadRequest, NamingReadRequest
where Characters == Text {
    package var actingUser: String { String(userID) }

    package static var users: NamedUsers { canSendUsers }
}

private let canSendUsers = NamedUsers(CanSendRequestView.schema, rows: 3)

private let canSendRequest = Schema("relation.v1.CanSendRequest", CanSendRequest.self)

/// The response of CanSend.
public typealias CanSendResponse = CanSendResponseForm<String>

/// ``CanSendResponse`` as the service has it: its strings are views.
package typealias CanSendResponseView = CanSendResponseForm<Text>

/// The response of CanSend.
///
/// A client has ``CanSendResponse``, whose strings are `String`.
public struct CanSendResponseForm<Characters: TextForm>: Message {
    /// One outcome for each id of the request, in its order.
    public var results: [CanSendResultForm<Characters>] = []

    @inlinable public init() {}
}

extension CanSendResponseForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { canSendResponse }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

private let canSendResponse = Schema("relation.v1.CanSendResponse", CanSendResponse.self)

/// Whether a message to one user may be sent.
public typealias CanSendResult = CanSendResultForm<String>

/// ``CanSendResult`` as the service has it: its strings are views.
package typealias CanSendResultView = CanSendResultForm<Text>

/// Whether a message to one user may be sent.
///
/// A client has ``CanSendResult``, whose strings are `String`.
public struct CanSendResultForm<Characters: TextForm>: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = Characters()
    /// The outcome, always set.
    public var code: SendStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = Characters()
    /// Whether the user has the caller as a friend and has muted it now, so that the message comes
    /// without a notice.
    public var muted = false
    /// Whether the user has the caller as a friend and ignores it.
    public var ignored = false

    @inlinable public init() {}
}

extension CanSendResultForm: CodedMessage where Characters: Scalar {
    @usableFromInline package static var schema: Schema { canSendResult }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "muted", &muted)
        visitor.field(6, "ignored", &ignored)
    }
}

private let canSendResult = Schema("relation.v1.CanSendResult", CanSendResult.self)
