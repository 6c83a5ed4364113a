public import Protobuf
public import RelationModel

// The messages of CheckIntegrity and GetStats of proto/relation/v1/maintenance.proto, where every
// field is explained.

/// The request of CheckIntegrity.
public struct CheckIntegrityRequest: Message {
    /// How the read is carried out.
    ///
    /// `min_sequence` is read when the check begins.
    public var options: ReadOptions?
    /// Whether to mend the faults.
    public var repair = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil, repair: Bool = false) {
        self.options = options
        self.repair = repair
    }
}

extension CheckIntegrityRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckIntegrityRequest", CheckIntegrityRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "repair", &repair)
    }
}

/// A message of CheckIntegrity.
public struct CheckIntegrityResponse: Message {
    /// A finding, or how far the check has come.
    ///
    /// A client skips a message without a case that it knows.
    public var answer: Answer?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(answer: Answer? = nil) {
        self.answer = answer
    }

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
}

extension CheckIntegrityResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.CheckIntegrityResponse", CheckIntegrityResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}

/// A fault in rows.
public struct IntegrityFinding: Message {
    /// The user that the rows belong to; empty for a counter of the app, and for lost writes.
    public var userID = ""
    /// The kind of fault.
    public var fault = IntegrityFault.unspecified
    /// The rows with the fault: `friends`, `blacklist`, `friend_count` and similar words, for
    /// people to read.
    public var subject = ""
    /// The other user that the rows are about, if there is one.
    public var otherUserID = ""
    /// Whether the fault was mended.
    ///
    /// False also if it had disappeared by then.
    public var repaired = false
    /// How many writes were lost, and when.
    ///
    /// Set only for INTEGRITY_FAULT_LOST_WRITES.
    public var lostWrites: LostWrites?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", fault: IntegrityFault = .unspecified, subject: String = "",
        otherUserID: String = "", repaired: Bool = false, lostWrites: LostWrites? = nil
    ) {
        self.userID = userID
        self.fault = fault
        self.subject = subject
        self.otherUserID = otherUserID
        self.repaired = repaired
        self.lostWrites = lostWrites
    }
}

extension IntegrityFinding: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.IntegrityFinding", IntegrityFinding.self)

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
public struct LostWrites: Message {
    /// The most writes that can be missing: calls that wrote, rows of imports, and steps of the
    /// server's own work.
    ///
    /// 0 if the number is unknown.
    public var mostWrites: Int64 = 0
    /// Every write up to this time is stored.
    ///
    /// 0 if the time is unknown.
    public var sinceTimeMs: Int64 = 0
    /// The time of the newest write that is known to have been stored.
    ///
    /// A write that is up to a second younger may be missing too.
    public var untilTimeMs: Int64 = 0
    /// When the loss was found.
    public var foundTimeMs: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        mostWrites: Int64 = 0, sinceTimeMs: Int64 = 0, untilTimeMs: Int64 = 0,
        foundTimeMs: Int64 = 0
    ) {
        self.mostWrites = mostWrites
        self.sinceTimeMs = sinceTimeMs
        self.untilTimeMs = untilTimeMs
        self.foundTimeMs = foundTimeMs
    }
}

extension LostWrites: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.LostWrites", LostWrites.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "most_writes", &mostWrites)
        visitor.field(2, "since_time_ms", &sinceTimeMs)
        visitor.field(3, "until_time_ms", &untilTimeMs)
        visitor.field(4, "found_time_ms", &foundTimeMs)
    }
}

/// How far a check has come.
public struct IntegrityProgress: Message {
    /// How many users were looked at.
    public var users: Int64 = 0
    /// How many faults were found.
    public var findings: Int64 = 0
    /// How many faults were mended.
    public var repaired: Int64 = 0
    /// Whether all users were looked at.
    public var complete = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        users: Int64 = 0, findings: Int64 = 0, repaired: Int64 = 0, complete: Bool = false
    ) {
        self.users = users
        self.findings = findings
        self.repaired = repaired
        self.complete = complete
    }
}

extension IntegrityProgress: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.IntegrityProgress", IntegrityProgress.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "findings", &findings)
        visitor.field(3, "repaired", &repaired)
        visitor.field(4, "complete", &complete)
    }
}

/// The request of GetStats.
public struct GetStatsRequest: Message {
    /// How the read is carried out.
    public var options: ReadOptions?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(options: ReadOptions? = nil) {
        self.options = options
    }
}

extension GetStatsRequest: AppReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetStatsRequest", GetStatsRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}

/// The response of GetStats.
public struct GetStatsResponse: Message {
    /// The counts of the app.
    public var app: AppStats?
    /// The size of the store, for all apps together.
    public var store: StoreStats?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(app: AppStats? = nil, store: StoreStats? = nil) {
        self.app = app
        self.store = store
    }
}

extension GetStatsResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetStatsResponse", GetStatsResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "store", &store)
    }
}

/// The counts of an app's rows.
public struct AppStats: Message {
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
    ///
    /// A subscription that has expired counts until its user is told.
    public var subscriptions: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        accounts: Int64 = 0, friends: Int64 = 0, groups: Int64 = 0, blacklistedUsers: Int64 = 0,
        comeIn: Int64 = 0, sendOut: Int64 = 0, events: Int64 = 0, subscriptions: Int64 = 0
    ) {
        self.accounts = accounts
        self.friends = friends
        self.groups = groups
        self.blacklistedUsers = blacklistedUsers
        self.comeIn = comeIn
        self.sendOut = sendOut
        self.events = events
        self.subscriptions = subscriptions
    }
}

extension AppStats: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.AppStats", AppStats.self)

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
public struct StoreStats: Message {
    /// The engine's name: `rocksdb` or `memory`.
    public var engine = ""
    /// Rows, as the engine estimates them.
    public var rows: Int64 = 0
    /// Bytes of the files that hold rows; 0 if there are no files.
    public var diskBytes: Int64 = 0
    /// Bytes of memory that the engine uses for rows.
    public var memoryBytes: Int64 = 0
    /// Moments kept for exports and checks.
    public var openExports: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        engine: String = "", rows: Int64 = 0, diskBytes: Int64 = 0, memoryBytes: Int64 = 0,
        openExports: Int64 = 0
    ) {
        self.engine = engine
        self.rows = rows
        self.diskBytes = diskBytes
        self.memoryBytes = memoryBytes
        self.openExports = openExports
    }
}

extension StoreStats: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.StoreStats", StoreStats.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "engine", &engine)
        visitor.field(2, "rows", &rows)
        visitor.field(3, "disk_bytes", &diskBytes)
        visitor.field(4, "memory_bytes", &memoryBytes)
        visitor.field(5, "open_exports", &openExports)
    }
}
