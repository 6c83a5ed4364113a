package import Protobuf
import RelationModel

/// How far an app has come on its way from one database to another.
///
/// Both have such a row. The app is active in one of them at most: the source is closed before the
/// target takes the app, and stays so.
package struct AppMoveRecord: CodedMessage, Equatable {
    package enum State: UInt32, Sendable {
        /// The source serves the app, while its rows are copied.
        case leaving = 1
        /// The source serves the app no more, and has all of its rows.
        case closed = 2
        /// The app lives in the other database; rows of it may be left in the source.
        case left = 3
        /// Rows come to the target, which does not serve the app yet.
        case arriving = 4
        /// The target serves the app.
        case arrived = 5
    }

    /// A random number of the move, the same in both databases.
    package var id: UInt64 = 0
    private var stateNumber: UInt32 = 0
    /// The number of the mover: each one that takes the move up gets the next one, and earlier ones
    /// can change nothing any more.
    package var run: UInt64 = 0
    /// The other database, without a password.
    package var other = ""
    package var startedMs: Int64 = 0
    /// In the target: the rows that were copied so far.
    package var rows: Int64 = 0
    /// In the target: the key of the row that was copied last; empty before the first.
    package var last: [UInt8] = []
    /// In the target: whether all rows were copied once.
    package var isCopied = false
    /// In the source, after the end: whether its rows of the app are gone.
    package var isEmptied = false
    /// In the source, while it is closed: the app's work that waits.
    package var jobs: [MovedJobRecord] = []
    /// In the source, while it is closed: the number of the newest work.
    package var lastJob: UInt64 = 0

    package init() {}

    package var state: State? {
        get { State(rawValue: stateNumber) }
        set { stateNumber = newValue?.rawValue ?? 0 }
    }

    package static let schema = Schema("relation.store.AppMove", AppMoveRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "id", &id)
        visitor.field(2, "state", &stateNumber)
        visitor.field(3, "run", &run)
        visitor.field(4, "other", &other)
        visitor.field(5, "started_ms", &startedMs)
        visitor.field(6, "rows", &rows)
        visitor.field(7, "last", &last)
        visitor.field(8, "is_copied", &isCopied)
        visitor.field(9, "is_emptied", &isEmptied)
        visitor.field(10, "jobs", &jobs)
        visitor.field(11, "last_job", &lastJob)
    }
}

/// Work of an app that waits in the queue of its database: the deletion of an account, or the
/// erasure of a deleted user.
package struct MovedJobRecord: CodedMessage, Equatable {
    package var number: UInt64 = 0
    package var userID = ""
    package var erases = false

    package init() {}

    package static let schema = Schema("relation.store.MovedJob", MovedJobRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "erases", &erases)
    }
}
