public import Protobuf
public import RelationModel

// The messages of ListAuditRecords of proto/relation/v1/maintenance.proto, where every field is
// explained.

/// The request of ListAuditRecords.
public struct ListAuditRecordsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most records to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// Whether to list the server's own audit instead: of operators' calls that act for no app.
    public var ofServer = false
    /// The sequence after which the list begins; 0 begins with the oldest record that is kept.
    public var afterSequence: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAuditRecordsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "of_server", &ofServer)
        visitor.field(6, "after_sequence", &afterSequence)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListAuditRecords.
public struct ListAuditRecordsResponse: CodedMessage, PagedList {
    /// The records of this page.
    public var records: [AuditRecord] = []
    public var nextPageToken = ""
    /// How many records the audit has: all of them, wherever the list begins.
    public var totalSize: Int32 = 0
    /// The sequence of the newest record; 0 if there never was one.
    public var lastSequence: Int64 = 0
    /// The `hash` of the newest record.
    public var lastHash: [UInt8] = []
    /// For how many days this server keeps records; 0 if it makes none.
    public var auditDays: Int32 = 0
    /// Whether this server records every call of administrators and operators, reads too, and not
    /// writes alone.
    public var recordsEveryCall = false

    public init() {}

    public var pageItems: [AuditRecord] { records }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListAuditRecordsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "records", &records)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "last_sequence", &lastSequence)
        visitor.field(5, "last_hash", &lastHash)
        visitor.field(6, "audit_days", &auditDays)
        visitor.field(7, "records_every_call", &recordsEveryCall)
    }
}

/// A record of an audit.
public struct AuditRecord: CodedMessage {
    /// The number of the record in its audit.
    public var sequence: Int64 = 0
    /// The kind of record.
    public var kind = AuditKind.unspecified
    /// When it was recorded; of calls that are counted together, the time of the last one.
    public var timeMs: Int64 = 0
    /// The call, such as `relation.v1.AppService/UpdateApp`.
    public var method = ""
    /// The credential: its kind and its id, such as `key:6f1c09d2a4b8e355`.
    public var caller = ""
    /// The name of the key or certificate, for people.
    public var callerName = ""
    /// The user for whom the call acts.
    public var userID = ""
    /// 16 random bytes, gone after the user was erased.
    public var userSalt: [UInt8] = []
    /// The SHA-256 of `user_salt` and the bytes of `user_id`.
    public var userDigest: [UInt8] = []
    /// The gRPC status of the call: 0 for OK, 7 for PERMISSION_DENIED, and so on.
    public var code: Int32 = 0
    /// The reason of the refusal, such as `SCOPE_MISSING`.
    public var reason = ""
    /// The request id of the write.
    public var requestID = ""
    /// How long the request was.
    public var requestBytes: Int64 = 0
    /// Whether the write changed anything.
    public var applied = false
    /// Where the caller's address lies: `loopback`, `private`, `public`, or `socket` for one in the
    /// file system.
    public var address = ""
    /// How many calls it stands for, or how many records or rows were removed.
    public var count: Int64 = 0
    /// For a trim, the sequence of the last record that was removed; for an erasure, the number in
    /// its `deletion_id`.
    public var subject: Int64 = 0
    /// For a trim, the `hash` of that record; for an erasure, the SHA-256 of the receipt's
    /// `digest`.
    public var subjectHash: [UInt8] = []
    /// The `hash` of the record before; 32 zero bytes in the first one.
    public var previousHash: [UInt8] = []
    /// The hash of the record.
    public var hash: [UInt8] = []
    /// The SHA-256 of 16 random bytes and the bytes of `request_id`, and behind it these 16 bytes.
    public var requestDigest: [UInt8] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AuditRecord", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "kind", &kind)
        visitor.field(3, "time_ms", &timeMs)
        visitor.field(4, "method", &method)
        visitor.field(5, "caller", &caller)
        visitor.field(6, "caller_name", &callerName)
        visitor.field(7, "user_id", &userID)
        visitor.field(8, "user_salt", &userSalt)
        visitor.field(9, "user_digest", &userDigest)
        visitor.field(10, "code", &code)
        visitor.field(11, "reason", &reason)
        visitor.field(12, "request_id", &requestID)
        visitor.field(13, "request_bytes", &requestBytes)
        visitor.field(14, "applied", &applied)
        visitor.field(15, "address", &address)
        visitor.field(16, "count", &count)
        visitor.field(17, "subject", &subject)
        visitor.field(18, "subject_hash", &subjectHash)
        visitor.field(19, "previous_hash", &previousHash)
        visitor.field(20, "hash", &hash)
        visitor.field(21, "request_digest", &requestDigest)
    }
}

extension AuditRecord: AuditContent {}
