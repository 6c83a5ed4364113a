public import Protobuf
public import RelationModel

// The messages of CheckIntegrity and GetStats of proto/relation/v1/maintenance.proto, where every
// field is explained.

/// The request of CheckIntegrity.
public struct CheckIntegrityRequest: AppReadRequest {
    public var options: ReadOptions?
    /// Whether to repair the errors.
    public var repair = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckIntegrityRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "repair", &repair)
    }
}

/// A message of CheckIntegrity.
public struct CheckIntegrityResponse: CodedMessage {
    /// A finding, or how far the check has come.
    public var answer: Answer?

    public init() {}

    package init(_ answer: Answer) {
        self.answer = answer
    }

    /// A finding, or how far the check has come.
    public enum Answer: OneOf {
        /// A fault in rows.
        case finding(IntegrityFinding)
        /// How far the check has come: sent after every few users, and at the end.
        case progress(IntegrityProgress)

        @usableFromInline package static func visit(
            _ answer: inout Answer?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "finding", &answer,
                { if case .finding(let value) = $0 { value } else { nil } }, Answer.finding)
            cases.field(
                2, "progress", &answer,
                { if case .progress(let value) = $0 { value } else { nil } }, Answer.progress)
        }
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckIntegrityResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}

/// A fault in rows.
public struct IntegrityFinding: CodedMessage {
    /// The user that the rows belong to; empty for a counter of the app, and for lost writes.
    public var userID = ""
    /// The kind of fault.
    public var fault = IntegrityFault.unspecified
    /// The rows with the fault: `friends`, `blacklist`, `friend_count` and similar words, for
    /// people to read.
    public var subject = ""
    /// The other user that the rows are about, if there is one.
    public var otherUserID = ""
    /// Whether the error was repaired.
    public var repaired = false
    /// How many writes were lost, and when.
    public var lostWrites: LostWrites?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.IntegrityFinding", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "fault", &fault)
        visitor.field(3, "subject", &subject)
        visitor.field(4, "other_user_id", &otherUserID)
        visitor.field(5, "repaired", &repaired)
        visitor.field(6, "lost_writes", &lostWrites)
    }
}

/// Answered writes that are missing from the store.
public struct LostWrites: CodedMessage {
    /// The most writes that can be missing: calls that wrote, rows of imports, and steps of the
    /// server's own work.
    public var mostWrites: Int64 = 0
    /// Every write up to this time is stored.
    public var sinceTimeMs: Int64 = 0
    /// The time of the newest write that is known to have been stored.
    public var untilTimeMs: Int64 = 0
    /// When the loss was found.
    public var foundTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.LostWrites", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "most_writes", &mostWrites)
        visitor.field(2, "since_time_ms", &sinceTimeMs)
        visitor.field(3, "until_time_ms", &untilTimeMs)
        visitor.field(4, "found_time_ms", &foundTimeMs)
    }
}

/// How far a check has come.
public struct IntegrityProgress: CodedMessage {
    /// How many users were looked at.
    public var users: Int64 = 0
    /// How many faults were found.
    public var findings: Int64 = 0
    /// How many errors were repaired.
    public var repaired: Int64 = 0
    /// Whether all users were looked at.
    public var complete = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.IntegrityProgress", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "findings", &findings)
        visitor.field(3, "repaired", &repaired)
        visitor.field(4, "complete", &complete)
    }
}

/// The request of GetStats.
public struct GetStatsRequest: AppReadRequest, SizedReadRequest {
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetStatsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of GetStats.
public struct GetStatsResponse: CodedMessage {
    /// The counts of the app.
    public var app: AppStats?
    /// The size of the store, for all apps together.
    public var store: StoreStats?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetStatsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "store", &store)
    }
}

/// The counts of an app's rows.
public struct AppStats: CodedMessage {
    /// Accounts.
    public var accounts: Int64 = 0
    /// Rows of friend lists: a friendship of both sides is two.
    public var friends: Int64 = 0
    /// Friend groups.
    public var groups: Int64 = 0
    /// Rows of blacklists.
    public var blacklistedUsers: Int64 = 0
    /// Applications that wait, counted as rows of the asked users.
    public var comeIn: Int64 = 0
    /// Applications that wait, counted as rows of the applicants.
    public var sendOut: Int64 = 0
    /// Events since the app was made.
    public var events: Int64 = 0
    /// Subscriptions.
    public var subscriptions: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AppStats", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "accounts", &accounts)
        visitor.field(2, "friends", &friends)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "blacklisted_users", &blacklistedUsers)
        visitor.field(5, "come_in", &comeIn)
        visitor.field(6, "send_out", &sendOut)
        visitor.field(7, "events", &events)
        visitor.field(8, "subscriptions", &subscriptions)
    }
}

/// The size of a store.
public struct StoreStats: CodedMessage {
    /// The engine's name.
    public var engine = ""
    /// Rows, as the engine estimates them.
    public var rows: Int64 = 0
    /// Bytes of the files that hold rows; 0 if there are no files.
    public var diskBytes: Int64 = 0
    /// Bytes of memory that the engine uses for rows.
    public var memoryBytes: Int64 = 0
    /// Snapshots kept for exports and checks.
    public var openExports: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.StoreStats", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "engine", &engine)
        visitor.field(2, "rows", &rows)
        visitor.field(3, "disk_bytes", &diskBytes)
        visitor.field(4, "memory_bytes", &memoryBytes)
        visitor.field(5, "open_exports", &openExports)
    }
}
