public import Protobuf

// The messages about operators' keys in proto/relation/v1/app.proto, where
// every field is explained.

/// A key of an operator, without its secret.
public struct OperatorKey: CodedMessage {
    /// The public part of the key.
    public var credentialID = ""
    /// The name of the key, for people; names need not differ.
    public var name = ""
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// Until when it is good; 0 means for ever.
    public var expireTimeMs: Int64 = 0
    /// When a call with it last began, to the minute; 0 if none has.
    ///
    /// A server stores the time once an hour and at its stop: that of another server, or from
    /// before a crash, may be so old.
    public var lastUseTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.OperatorKey", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credential_id", &credentialID)
        visitor.field(2, "name", &name)
        visitor.field(3, "create_time_ms", &createTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
        visitor.field(60, "last_use_time_ms", &lastUseTimeMs)
    }
}

/// The request of CreateOperatorKey.
public struct CreateOperatorKeyRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The name of the key, for people: 1 to 128 bytes.
    public var name = ""
    /// Until when the key is good; this must be in the future.
    public var expireTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateOperatorKeyRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The response of CreateOperatorKey, whose `applied` says whether the key was made.
public struct CreateOperatorKeyResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The new key, without its secret.
    public var operatorKey: OperatorKey?
    /// The whole key, to send as `authorization: Bearer KEY`.
    public var key = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateOperatorKeyResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "operator_key", &operatorKey)
        visitor.secret(5, "key", &key)
        write.visitLast(&visitor)
    }
}

/// The request of ListOperatorKeys.
public struct ListOperatorKeysRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most keys to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListOperatorKeysRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListOperatorKeys.
public struct ListOperatorKeysResponse: CodedMessage, PagedList {
    /// The keys of this page.
    public var operatorKeys: [OperatorKey] = []
    public var nextPageToken = ""
    /// How many keys of operators the server has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [OperatorKey] { operatorKeys }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListOperatorKeysResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "operator_keys", &operatorKeys)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of RevokeOperatorKey.
public struct RevokeOperatorKeyRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The id of the key.
    public var credentialID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeOperatorKeyRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "credential_id", &credentialID)
    }
}

/// The response of RevokeOperatorKey, whose `applied` says whether the key was ended.
public struct RevokeOperatorKeyResponse: WriteResponse {
    public var write = WriteOutcome()

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeOperatorKeyResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        write.visitLast(&visitor)
    }
}
