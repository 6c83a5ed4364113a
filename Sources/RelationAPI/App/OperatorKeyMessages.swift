public import Protobuf

// The messages about operators' keys in proto/relation/v1/app.proto, where
// every field is explained.

/// A key of an operator, without its secret.
public struct OperatorKey: Message {
    /// The public part of the key.
    public var credentialID = ""
    /// The name of the key, for people; names need not differ.
    public var name = ""
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// Until when it is good; 0 means for ever.
    public var expireTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        credentialID: String = "", name: String = "", createTimeMs: Int64 = 0,
        expireTimeMs: Int64 = 0
    ) {
        self.credentialID = credentialID
        self.name = name
        self.createTimeMs = createTimeMs
        self.expireTimeMs = expireTimeMs
    }
}

extension OperatorKey: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.OperatorKey", OperatorKey.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credential_id", &credentialID)
        visitor.field(2, "name", &name)
        visitor.field(3, "create_time_ms", &createTimeMs)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The request of CreateOperatorKey.
public struct CreateOperatorKeyRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The name of the key, for people: 1 to 128 bytes.
    public var name = ""
    /// Until when the key is good; this must be in the future.
    ///
    /// 0 means for ever.
    public var expireTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, name: String = "", expireTimeMs: Int64 = 0) {
        self.options = options
        self.name = name
        self.expireTimeMs = expireTimeMs
    }
}

extension CreateOperatorKeyRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateOperatorKeyRequest", CreateOperatorKeyRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "expire_time_ms", &expireTimeMs)
    }
}

/// The response of CreateOperatorKey.
public struct CreateOperatorKeyResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the key was made.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The new key, without its secret.
    public var operatorKey: OperatorKey?
    /// The whole key, to send as `authorization: Bearer KEY`.
    ///
    /// It is answered here and never again: the server keeps only a digest of it, and a replayed
    /// answer has no key. Empty in a dry run.
    public var key = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        operatorKey: OperatorKey? = nil, key: String = ""
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.operatorKey = operatorKey
        self.key = key
    }
}

extension CreateOperatorKeyResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateOperatorKeyResponse", CreateOperatorKeyResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "operator_key", &operatorKey)
        visitor.secret(5, "key", &key)
    }
}

/// The request of ListOperatorKeys.
public struct ListOperatorKeysRequest: Message {
    /// How the read is carried out.
    ///
    /// `min_sequence` cannot be used here, because the call acts for no app.
    public var options: ReadOptions?
    /// The most keys to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    /// The `next_page_token` of the page before; empty for the first page.
    ///
    /// A token that was made for another list is INVALID_ARGUMENT.
    public var pageToken = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, pageSize: Int32 = 0, pageToken: String = "") {
        self.options = options
        self.pageSize = pageSize
        self.pageToken = pageToken
    }
}

extension ListOperatorKeysRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListOperatorKeysRequest", ListOperatorKeysRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }
}

extension ListOperatorKeysRequest: PagedRequest {}

/// The response of ListOperatorKeys.
public struct ListOperatorKeysResponse: Message {
    /// The keys of this page.
    public var operatorKeys: [OperatorKey] = []
    /// The token of the next page; empty after the last page.
    public var nextPageToken = ""
    /// How many keys of operators the server has: at most 100.
    public var totalSize: Int32 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        operatorKeys: [OperatorKey] = [], nextPageToken: String = "", totalSize: Int32 = 0
    ) {
        self.operatorKeys = operatorKeys
        self.nextPageToken = nextPageToken
        self.totalSize = totalSize
    }
}

extension ListOperatorKeysResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ListOperatorKeysResponse", ListOperatorKeysResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "operator_keys", &operatorKeys)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

extension ListOperatorKeysResponse: PagedList {
    public var pageItems: [OperatorKey] { operatorKeys }
}

/// The request of RevokeOperatorKey.
public struct RevokeOperatorKeyRequest: Message {
    /// How the write is carried out.
    public var options: WriteOptions?
    /// The id of the key.
    public var credentialID = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: WriteOptions? = nil, credentialID: String = "") {
        self.options = options
        self.credentialID = credentialID
    }
}

extension RevokeOperatorKeyRequest: AppWriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeOperatorKeyRequest", RevokeOperatorKeyRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "credential_id", &credentialID)
    }
}

/// The response of RevokeOperatorKey.
public struct RevokeOperatorKeyResponse: Message {
    /// Always 0: no user's log is written.
    public var sequence: Int64 = 0
    /// Whether the key was ended.
    ///
    /// False in a dry run.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
    }
}

extension RevokeOperatorKeyResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.RevokeOperatorKeyResponse", RevokeOperatorKeyResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
    }
}
