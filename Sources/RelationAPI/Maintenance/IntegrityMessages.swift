public import Protobuf
public import RelationModel

// The messages of CheckIntegrity and GetStats of proto/relation/v1/maintenance.proto, where every
// field is explained.

/// The request of CheckIntegrity.
public struct CheckIntegrityRequest: Message, AppReadRequest {
    public var options: ReadOptions?
    public var repair = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.CheckIntegrityRequest", CheckIntegrityRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "repair", &repair)
    }
}

/// A message of CheckIntegrity.
public struct CheckIntegrityResponse: Message, Equatable {
    public var answer: Answer?

    public init() {}

    public init(_ answer: Answer) {
        self.answer = answer
    }

    public static let schema = Schema(
        "relation.v1.CheckIntegrityResponse", CheckIntegrityResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }

    /// A finding, or how far the check has come.
    public enum Answer: OneOf, Equatable {
        case finding(IntegrityFinding)
        case progress(IntegrityProgress)

        public static func visit(_ answer: inout Answer?, _ cases: inout some OneOfVisitor) {
            cases.field(
                1, "finding", &answer,
                { if case .finding(let value) = $0 { value } else { nil } }, Answer.finding)
            cases.field(
                2, "progress", &answer,
                { if case .progress(let value) = $0 { value } else { nil } }, Answer.progress)
        }
    }
}

/// A fault in rows.
public struct IntegrityFinding: Message, Equatable {
    public var userID = ""
    public var fault = IntegrityFault.unspecified
    public var subject = ""
    public var otherUserID = ""
    public var repaired = false
    public var lostWrites: LostWrites?

    public init() {}

    public static let schema = Schema("relation.v1.IntegrityFinding", IntegrityFinding.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "fault", &fault)
        visitor.field(3, "subject", &subject)
        visitor.field(4, "other_user_id", &otherUserID)
        visitor.field(5, "repaired", &repaired)
        visitor.field(6, "lost_writes", &lostWrites)
    }
}

/// Answered writes that are missing from the store.
public struct LostWrites: Message, Equatable {
    public var mostWrites: Int64 = 0
    public var sinceTimeMs: Int64 = 0
    public var untilTimeMs: Int64 = 0
    public var foundTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.LostWrites", LostWrites.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "most_writes", &mostWrites)
        visitor.field(2, "since_time_ms", &sinceTimeMs)
        visitor.field(3, "until_time_ms", &untilTimeMs)
        visitor.field(4, "found_time_ms", &foundTimeMs)
    }
}

/// How far a check has come.
public struct IntegrityProgress: Message, Equatable {
    public var users: Int64 = 0
    public var findings: Int64 = 0
    public var repaired: Int64 = 0
    public var complete = false

    public init() {}

    public static let schema = Schema("relation.v1.IntegrityProgress", IntegrityProgress.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "findings", &findings)
        visitor.field(3, "repaired", &repaired)
        visitor.field(4, "complete", &complete)
    }
}

/// The request of GetStats.
public struct GetStatsRequest: Message, AppReadRequest {
    public var options: ReadOptions?

    public init() {}

    public static let schema = Schema("relation.v1.GetStatsRequest", GetStatsRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}

/// The response of GetStats.
public struct GetStatsResponse: Message {
    public var app: AppStats?
    public var store: StoreStats?

    public init() {}

    public static let schema = Schema("relation.v1.GetStatsResponse", GetStatsResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "store", &store)
    }
}

/// The counts of an app's rows.
public struct AppStats: Message, Equatable {
    public var accounts: Int64 = 0
    public var friends: Int64 = 0
    public var groups: Int64 = 0
    public var blacklistedUsers: Int64 = 0
    public var comeIn: Int64 = 0
    public var sendOut: Int64 = 0
    public var events: Int64 = 0
    public var subscriptions: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.AppStats", AppStats.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct StoreStats: Message, Equatable {
    public var engine = ""
    public var rows: Int64 = 0
    public var diskBytes: Int64 = 0
    public var memoryBytes: Int64 = 0
    public var openExports: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.StoreStats", StoreStats.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "engine", &engine)
        visitor.field(2, "rows", &rows)
        visitor.field(3, "disk_bytes", &diskBytes)
        visitor.field(4, "memory_bytes", &memoryBytes)
        visitor.field(5, "open_exports", &openExports)
    }
}
