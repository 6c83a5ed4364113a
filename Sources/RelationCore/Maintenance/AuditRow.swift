package import Protobuf
package import RelationModel

/// A record of an audit, under its sequence.
///
/// Its fields are those of the contract's `AuditRecord`, one by one.
package struct AuditRow: CodedMessage, Equatable, AuditContent {
    package var sequence: Int64 = 0
    package var kind = AuditKind.unspecified
    package var timeMs: Int64 = 0
    package var method = ""
    package var caller = ""
    package var callerName = ""
    /// Empty if the call acts for no user, and once the user was erased.
    package var userID = ""
    /// Empty if ``userID`` is.
    package var userSalt: [UInt8] = []
    package var userDigest: [UInt8] = []
    package var code: Int32 = 0
    package var reason = ""
    package var requestID = ""
    package var requestBytes: Int64 = 0
    package var applied = false
    package var address = ""
    package var count: Int64 = 0
    package var subject: Int64 = 0
    package var subjectHash: [UInt8] = []
    package var previousHash: [UInt8] = []
    package var hash: [UInt8] = []
    /// The digest of ``requestID``, and behind it the random bytes with which it was made.
    ///
    /// The random bytes go with the id. Empty without an id, and in a row of an older version.
    package var requestDigest: [UInt8] = []

    package init() {}

    package static let schema = Schema("relation.store.AuditRow", AuditRow.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
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

/// The facts about an audit as a whole.
package struct AuditSummary: CodedMessage, Equatable {
    /// The sequence of its newest record.
    package var last: UInt64 = 0
    /// The hash of that record.
    package var hash: [UInt8] = []
    /// How many records there are.
    package var count: Int64 = 0
    /// The time of the oldest record, or an earlier one.
    package var oldestMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.AuditHead", AuditSummary.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
        visitor.field(2, "hash", &hash)
        visitor.field(3, "count", &count)
        visitor.field(4, "oldest_ms", &oldestMs)
    }
}
