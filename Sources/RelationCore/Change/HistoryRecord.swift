package import Protobuf
package import RelationModel

/// An entry of an app's history: the rows between two users that one call changed.
package struct HistoryRecord: CodedMessage, Equatable {
    package var timeMs: Int64 = 0
    package var caller = CallerKind.unspecified
    /// The acting user; empty if the call acted for the app.
    package var actorUserID = ""
    package var deviceID = ""
    package var requestID = ""
    /// The owner of the row that was changed first.
    package var userID = ""
    /// The other user of that row; empty if the row is about its owner alone.
    package var otherUserID = ""
    package var changes: [HistoryChangeRecord] = []
    /// As in ``CallSource/credential``; empty in entries of older servers, as the next two are.
    package var credential = ""
    /// As in ``CallSource/address``.
    package var address = ""
    /// The answer of a hook about the call.
    package var hookAnswer = HookAnswer.unspecified

    package init() {}

    package static let schema = Schema("relation.store.History", HistoryRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "time_ms", &timeMs)
        visitor.field(2, "caller", &caller)
        visitor.field(3, "actor_user_id", &actorUserID)
        visitor.field(4, "device_id", &deviceID)
        visitor.field(5, "request_id", &requestID)
        visitor.field(6, "user_id", &userID)
        visitor.field(7, "other_user_id", &otherUserID)
        visitor.field(8, "changes", &changes)
        visitor.field(120, "credential", &credential)
        visitor.field(121, "address", &address)
        visitor.field(122, "hook_answer", &hookAnswer)
    }

    package var user: UserID { UserID(stored: userID) }

    package var other: UserID { UserID(stored: otherUserID) }

    /// The users that the entry is about: two, or one if it is about a user alone.
    package var users: [UserID] { otherUserID.isEmpty ? [user] : [user, other] }

    /// Whether the entry is about that user.
    package func names(_ user: UserID) -> Bool { users.contains(user) }

    /// The users that have a row which leads to the entry: those that it is about, and the acting
    /// one if it is another.
    package var indexedUsers: [UserID] {
        let users = users
        guard !actorUserID.isEmpty else { return users }
        let actor = UserID(stored: actorUserID)
        return users.contains(actor) ? users : users + [actor]
    }

    /// The row that leads to the entry by the request id of its call; nil without one.
    package func requestKey(at position: UInt64) -> RequestPosition? {
        requestID.isEmpty ? nil : RequestPosition(id: RequestID(requestID), position: position)
    }
}

/// One row that a call changed: its encoding before the call, and after it.
///
/// Of a profile these are the fields that differ, and of a group its names.
package struct HistoryChangeRecord: CodedMessage, Equatable {
    /// The kind of the row's table.
    package var table: UInt32 = 0
    /// Whether the row's owner is the entry's other user.
    package var isOfOther = false
    /// The side of an application; unspecified for other rows.
    package var pendencyType = PendencyType.unspecified
    /// Empty if there was no row.
    package var before: [UInt8] = []
    /// Empty if there is no row any more.
    package var after: [UInt8] = []
    /// The fields of a profile that differ.
    package var paths: [String] = []

    package init() {}

    package static let schema = Schema("relation.store.HistoryChange", HistoryChangeRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "table", &table)
        visitor.field(2, "is_of_other", &isOfOther)
        visitor.field(3, "pendency_type", &pendencyType)
        visitor.field(4, "before", &before)
        visitor.field(5, "after", &after)
        visitor.field(6, "paths", &paths)
    }
}

/// The facts about the history of an app as a whole.
package struct HistoryState: CodedMessage, Equatable {
    /// The position of the latest entry.
    package var last: UInt64 = 0
    /// The entries that are kept.
    package var count: Int64 = 0
    /// The bytes of their encodings.
    package var bytes: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.HistoryState", HistoryState.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "last", &last)
        visitor.field(2, "count", &count)
        visitor.field(3, "bytes", &bytes)
    }
}
