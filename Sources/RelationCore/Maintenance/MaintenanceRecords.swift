package import Protobuf
package import RelationModel

// The records of the work that is done beside the calls, so that it goes on after a restart.

/// The state of the deletion of one account.
package struct DeletionRecord: CodedMessage, Equatable {
    package var userID = ""
    package var state = DeletionState.unspecified
    /// The number of rows removed so far.
    package var rowsRemoved: Int64 = 0
    package var startedMs: Int64 = 0
    package var finishedMs: Int64 = 0
    /// Whether the erasure of what others have of the user is a part of it.
    package var erases = false
    /// The digest of the user's id under a key that the store does not have; empty if the caller
    /// asked for none.
    package var digest = ""
    /// The rows that the erasure rewrote or removed.
    package var tally: ErasureTally?
    /// The rows that the app's settings kept from it.
    package var kept: ErasureKept?

    package init() {}

    package static let schema = Schema("relation.store.Deletion", DeletionRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "state", &state)
        visitor.field(3, "rows_removed", &rowsRemoved)
        visitor.field(4, "started_ms", &startedMs)
        visitor.field(5, "finished_ms", &finishedMs)
        visitor.field(6, "erases", &erases)
        visitor.field(7, "digest", &digest)
        visitor.field(8, "tally", &tally)
        visitor.field(9, "kept", &kept)
    }
}

/// A job that is not finished.
package struct JobRecord: CodedMessage, Equatable {
    package var app: UInt32 = 0
    /// The user to delete; empty if the whole app is to be deleted.
    package var userID = ""

    package init() {}

    package static let schema = Schema("relation.store.Job", JobRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "user_id", &userID)
    }
}

/// The number of the newest job.
package struct JobNumberRecord: CodedMessage, Equatable {
    package var last: UInt64 = 0

    package init() {}

    package static let schema = Schema("relation.store.JobNumber", JobNumberRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
    }
}

/// Writes that the store has lost; the time at which this was found is in the key.
package struct LossRecord: CodedMessage, Equatable {
    /// The most writes that may be lost; 0 if that is not known.
    package var mostWrites: Int64 = 0
    package var sinceMs: Int64 = 0
    package var untilMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Loss", LossRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "most_writes", &mostWrites)
        visitor.field(2, "since_ms", &sinceMs)
        visitor.field(3, "until_ms", &untilMs)
    }
}

/// The losses of the store that an app has acknowledged.
package struct KnownLossRecord: CodedMessage, Equatable {
    /// The time at which the newest of them was found.
    package var foundMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.KnownLoss", KnownLossRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "found_ms", &foundMs)
    }
}

/// The progress of an import that can be taken up again.
package struct ImportRecord: CodedMessage, Equatable {
    package var lastRow: Int64 = 0
    package var written: Int64 = 0
    package var refused: Int64 = 0
    package var timeMs: Int64 = 0
    /// The position of an import of an app among the rows of its export.
    package var position: ImportPosition?

    package init() {}

    package static let schema = Schema("relation.store.Import", ImportRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last_row", &lastRow)
        visitor.field(2, "written", &written)
        visitor.field(3, "refused", &refused)
        visitor.field(4, "time_ms", &timeMs)
        visitor.field(5, "place", &position)
    }
}

/// The position of an import of an app among the rows of its export: what is needed of the rows so
/// far to check the next one.
package struct ImportPosition: CodedMessage, Equatable {
    /// The number of the exported app; 0 before its row.
    package var appID: UInt32 = 0
    /// The user of the last account; empty before the first.
    package var userID = ""
    /// The list and the row key of that user's last row.
    package var section: UInt32 = 0
    package var rowKey: [UInt8] = []
    /// The rows of that list so far.
    package var rows: UInt32 = 0
    /// The groups of that user, with their numbers.
    package var groups: [String] = []
    package var groupNumbers: [UInt32] = []

    package init() {}

    package static let schema = Schema("relation.store.ImportPlace", ImportPosition.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "user_id", &userID)
        visitor.field(3, "section", &section)
        visitor.field(4, "row_key", &rowKey)
        visitor.field(5, "rows", &rows)
        visitor.field(6, "groups", &groups)
        visitor.field(7, "group_numbers", &groupNumbers)
    }
}
