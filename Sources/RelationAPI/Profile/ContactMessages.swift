public import Protobuf
public import RelationModel

// The messages about digests of contacts in proto/relation/v1/profile.proto, where every field is
// explained.

/// A user that FindContacts has found.
public struct FoundContact: CodedMessage {
    /// The digest, as the request has it.
    public var digest: [UInt8] = []
    /// The user that has it.
    public var userID = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FoundContact", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "digest", &digest)
        visitor.field(2, "user_id", &userID)
    }
}

/// The request of SetContactDigests.
public struct SetContactDigestsRequest: WriteRequest {
    /// The user that has the numbers or addresses.
    public var userID = ""
    public var options: WriteOptions?
    /// The kind of the digests.
    public var kind = ContactKind.unspecified
    /// All digests of that kind: at most 10, each of 32 bytes.
    public var digests: [[UInt8]] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetContactDigestsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "kind", &kind)
        visitor.field(4, "digests", &digests)
    }
}

/// The response of SetContactDigests.
public struct SetContactDigestsResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetContactDigestsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        write.visitLast(&visitor)
    }
}

/// The request of GetContactDigests.
public struct GetContactDigestsRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, whose digests are read.
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetContactDigestsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }

    package var readSize: ReadSize { .rows(2) }
}

/// The response of GetContactDigests.
public struct GetContactDigestsResponse: CodedMessage {
    /// The digests of phone numbers, in the order of their bytes.
    public var phones: [[UInt8]] = []
    /// The digests of mail addresses, in the order of their bytes.
    public var emails: [[UInt8]] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetContactDigestsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "phones", &phones)
        visitor.field(2, "emails", &emails)
    }
}

/// The request of FindContacts.
public struct FindContactsRequest: WriteRequest {
    /// The acting user, for whom users are looked for.
    public var userID = ""
    public var options: WriteOptions?
    /// The kind of the digests.
    public var kind = ContactKind.unspecified
    /// The digests: 1 to 100, each of 32 bytes.
    public var digests: [[UInt8]] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.FindContactsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "kind", &kind)
        visitor.field(4, "digests", &digests)
    }
}

/// The response of FindContacts.
public struct FindContactsResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// The users that were found: in the order of the digests of the request, and those of one
    /// digest, at most four, in the order of the bytes of their ids.
    public var contacts: [FoundContact] = []
    /// How many digests the acting user may still ask for in this window, by default on this day
    /// (UTC).
    public var leftToday: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.FindContactsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "contacts", &contacts)
        visitor.field(8, "left_today", &leftToday)
        write.visitLast(&visitor)
    }
}
