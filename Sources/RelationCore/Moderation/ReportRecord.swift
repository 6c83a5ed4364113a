package import Protobuf
package import RelationModel

/// A report of a user about another one, among the rows of the reported user.
///
/// Its fields are those of the contract's `UserReport`, one by one.
package struct ReportRecord: CodedMessage, Equatable {
    package var reportID = ""
    package var reportedUserID = ""
    /// Empty if the reporter is no longer an account.
    package var reporterUserID = ""
    package var category = ReportCategory.unspecified
    package var text = ""
    package var reference = ""
    package var count: Int32 = 0
    package var firstReportTimeMs: Int64 = 0
    package var reportTimeMs: Int64 = 0
    /// ``ReportOutcome/unspecified`` while the report is open.
    package var outcome = ReportOutcome.unspecified
    package var note = ""
    package var resolveTimeMs: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Report", ReportRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "report_id", &reportID)
        visitor.field(2, "reported_user_id", &reportedUserID)
        visitor.field(3, "reporter_user_id", &reporterUserID)
        visitor.field(4, "category", &category)
        visitor.field(5, "text", &text)
        visitor.field(6, "reference", &reference)
        visitor.field(7, "count", &count)
        visitor.field(8, "first_report_time_ms", &firstReportTimeMs)
        visitor.field(9, "report_time_ms", &reportTimeMs)
        visitor.field(10, "outcome", &outcome)
        visitor.field(11, "note", &note)
        visitor.field(12, "resolve_time_ms", &resolveTimeMs)
    }

    package var isOpen: Bool { outcome == .unspecified }

    var reported: UserID { UserID(stored: reportedUserID) }

    var reporter: UserID? {
        reporterUserID.isEmpty ? nil : UserID(stored: reporterUserID)
    }
}

/// The index entry of a report: its number with its reporter, or its user with its number.
package struct ReportIndexRecord: CodedMessage, Equatable {
    package var number: UInt64 = 0
    package var userID = ""

    package init() {}

    package static let schema = Schema("relation.store.ReportPlace", ReportIndexRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "number", &number)
        visitor.field(2, "user_id", &userID)
    }
}

/// The facts about the reports of an app as a whole.
package struct ReportsRecord: CodedMessage, Equatable {
    /// The number of the latest report.
    package var last: UInt64 = 0
    package var count: Int64 = 0
    package var openCount: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Reports", ReportsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
        visitor.field(2, "count", &count)
        visitor.field(3, "open_count", &openCount)
    }
}
