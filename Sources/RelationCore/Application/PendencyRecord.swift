package import Protobuf
package import RelationModel

/// One side's record of a friend application.
package struct PendencyRecord: CodedMessage, Equatable {
    /// The other user: the asked user in the applicant's record, and the applicant in the asked
    /// user's.
    package var userID = ""
    package var applicationID = ""
    /// The time at which the application was made or last repeated.
    ///
    /// It is the same on both sides, and unique in the list of either.
    package var timeMs: Int64 = 0
    package var source = ""
    package var wording = ""
    /// The remark, groups and custom values of the applicant's own row once the application is
    /// accepted.
    ///
    /// They are in the applicant's record and also in the asked user's, so that either record alone
    /// is enough to answer.
    package var remark = ""
    package var group = ""
    package var custom: [CustomValue] = []
    /// More groups than `group`, which is empty if there are none.
    package var moreGroups: [String] = []

    package init() {}

    package static let schema = Schema("relation.store.Pendency", PendencyRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "application_id", &applicationID)
        visitor.field(3, "time_ms", &timeMs)
        visitor.field(4, "source", &source)
        visitor.field(5, "wording", &wording)
        visitor.field(6, "remark", &remark)
        visitor.field(7, "group", &group)
        visitor.field(20, "custom", &custom)
        visitor.field(21, "more_groups", &moreGroups)
    }
}

extension PendencyRecord {
    /// The groups of the applicant's own row once the application is accepted.
    package var groups: [String] { group.isEmpty ? [] : [group] + moreGroups }

    /// Takes the values that the applicant's own row will have; the asked user sees two of them.
    package mutating func apply(_ values: FriendValues) {
        source = values.source ?? ""
        wording = values.wording ?? ""
        remark = values.remark ?? ""
        group = values.group
        moreGroups = Array(values.groups?.dropFirst() ?? [])
        custom = values.custom
    }

    /// The values that the applicant's own row will have.
    package var values: FriendValues {
        var values = FriendValues()
        values.remark = remark
        values.groups = groups
        values.source = source
        values.wording = wording
        values.custom = custom
        return values
    }
}
