package import Protobuf

// The records of the erasure of deleted users, so that it goes on after a restart.

/// A deleted account whose erasure has not begun; its key is the number of the deletion.
package struct ErasureRecord: CodedMessage, Equatable {
    package var app: UInt32 = 0
    package var userID = ""

    package init() {}

    package static let schema = Schema("relation.store.Erasure", ErasureRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "user_id", &userID)
    }
}

/// The erasure that is under way: one walk through the rows of an app, for some of its deleted
/// users.
package struct ErasureWalkRecord: CodedMessage, Equatable {
    package var app: UInt32 = 0
    package var users: [ErasedUserRecord] = []
    /// See ``ErasureStage``.
    package var stage = ErasureStage.records.rawValue
    /// The last user whose rows were looked at; empty before the first.
    package var userID = ""
    /// The sequence up to which the log of the next user was looked at; in other stages the number
    /// or the position of the last row.
    package var position: Int64 = 0
    /// The request id up to which the kept answers of the next user were looked at, if its log was.
    package var requestID = ""
    /// Whether the log of the next user, and all that comes before its answers, was looked at.
    package var isInAnswers = false
    /// The end of the feed when its stage began.
    package var feedEnd: Int64 = 0
    /// The kinds of rows that the settings kept when it began.
    package var kept: ErasureKept?

    package init() {}

    package static let schema = Schema("relation.store.ErasureWalk", ErasureWalkRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "users", &users)
        visitor.field(3, "stage", &stage)
        visitor.field(4, "user_id", &userID)
        visitor.field(5, "position", &position)
        visitor.field(6, "request_id", &requestID)
        visitor.field(7, "is_in_answers", &isInAnswers)
        visitor.field(8, "feed_end", &feedEnd)
        visitor.field(9, "kept", &kept)
    }
}

/// One of the users that a walk erases.
package struct ErasedUserRecord: CodedMessage, Equatable {
    /// The number of the deletion.
    package var number: UInt64 = 0
    package var userID = ""
    package var tally: ErasureTally?

    package init() {}

    package static let schema = Schema("relation.store.ErasedUser", ErasedUserRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "tally", &tally)
    }
}

/// The parts of a walk, in their order.
package enum ErasureStage: UInt32, Sendable {
    /// Rows of the app that are no other user's: the list of long logs, cursors, ends of sessions.
    case records = 0
    /// The progress of imports.
    case imports = 1
    /// The answers that are kept for the app's administrators.
    case administrators = 2
    /// The other users: tombstones, histories of applications, logs, kept answers.
    case users = 3
    /// The app's feed.
    case feed = 4
    /// Earlier deletions of accounts with the ids.
    case deletions = 5
    /// The rest of the users' own partitions.
    case end = 6
    /// Records of the app's audit; it comes before the end.
    case audit = 7
}

/// How many rows an erasure has rewritten or removed, by their kinds.
package struct ErasureTally: CodedMessage, Equatable {
    /// Events in logs of others.
    package var events: Int64 = 0
    /// Events in the app's feed.
    package var feedEntries: Int64 = 0
    /// Tombstones of others.
    package var removedFriends: Int64 = 0
    /// Applications in the histories of others.
    package var applications: Int64 = 0
    /// Answers that were kept for requests.
    package var answers: Int64 = 0
    /// All other rows.
    package var others: Int64 = 0
    /// Reports that the user had made; their texts were removed.
    package var reports: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.ErasureTally", ErasureTally.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "events", &events)
        visitor.field(2, "feed_entries", &feedEntries)
        visitor.field(3, "removed_friends", &removedFriends)
        visitor.field(4, "applications", &applications)
        visitor.field(5, "answers", &answers)
        visitor.field(6, "others", &others)
        visitor.field(7, "reports", &reports)
    }
}

/// The rows that an app's settings keep from an erasure, and until when.
package struct ErasureKept: CodedMessage, Equatable {
    /// When the last event has left the logs; 0 if none is kept.
    package var logsUntilMs: Int64 = 0
    /// When the last application has left the histories; 0 if none is kept.
    package var applicationsUntilMs: Int64 = 0
    /// When the last kept answer is forgotten; 0 if none is kept.
    package var answersUntilMs: Int64 = 0
    /// Whether the end of the user's sessions stays under its id.
    package var sessionEnd = false
    /// Whether it stays under a digest of the id.
    package var sessionEndDigest = false
    /// When the last report that the user made goes, with its texts; 0 if none is kept.
    package var reportsUntilMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.ErasureKept", ErasureKept.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "logs_until_ms", &logsUntilMs)
        visitor.field(2, "applications_until_ms", &applicationsUntilMs)
        visitor.field(3, "answers_until_ms", &answersUntilMs)
        visitor.field(4, "session_end", &sessionEnd)
        visitor.field(5, "session_end_digest", &sessionEndDigest)
        visitor.field(6, "reports_until_ms", &reportsUntilMs)
    }
}
