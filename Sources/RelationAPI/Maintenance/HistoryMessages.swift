public import Protobuf
public import RelationModel

// The messages about histories in proto/relation/v1/maintenance.proto, where every field is
// explained.

/// One row that a call changed.
public struct HistoryChange: CodedMessage {
    /// The event that reports such a change: ADD_FRIEND, SNS_PROFILE_CHANGE, DEL_FRIEND,
    /// ADD_BLACKLIST, DEL_BLACKLIST, ADD_FRIEND_REQ, DEL_FRIEND_REQ, FOLLOWING_CHANGED,
    /// GROUP_CREATED, GROUP_DELETED, GROUP_RENAMED or PROFILE_CHANGE.
    public var kind = ChangeKind.unspecified
    /// The user in whose list the row is.
    public var ownerUserID = ""
    /// The user that the row is about; empty for a group and for a profile.
    public var otherUserID = ""
    /// The row of the friend before the call; not set if there was none.
    public var friendBefore: Friend?
    /// The row of the friend after the call; not set if there is none.
    public var friendAfter: Friend?
    /// The row of the blacklist before the call, without a profile; not set if there was none.
    public var blacklistBefore: BlacklistEntry?
    /// The row of the blacklist after the call, without a profile; not set if there is none.
    public var blacklistAfter: BlacklistEntry?
    /// The application that waited before the call; not set if none did.
    public var applicationBefore: FriendApplication?
    /// The application that waits after the call; not set if none does.
    public var applicationAfter: FriendApplication?
    /// The follow before the call, without a profile; not set if there was none.
    public var followBefore: FollowEntry?
    /// The follow after the call, without a profile; not set if there is none.
    public var followAfter: FollowEntry?
    /// The name of the group before the call; empty if it was made.
    public var groupBefore = ""
    /// The name of the group after the call; empty if it was deleted.
    public var groupAfter = ""
    /// The fields of the profile that changed, as they were before the call; those that were not
    /// set are not set.
    public var profileBefore: Profile?
    /// These fields after the call.
    public var profileAfter: Profile?
    /// The paths of these fields, as field masks name them.
    public var profileFields: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.HistoryChange", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "kind", &kind)
        visitor.field(2, "owner_user_id", &ownerUserID)
        visitor.field(3, "other_user_id", &otherUserID)
        visitor.field(4, "friend_before", &friendBefore)
        visitor.field(5, "friend_after", &friendAfter)
        visitor.field(6, "blacklist_before", &blacklistBefore)
        visitor.field(7, "blacklist_after", &blacklistAfter)
        visitor.field(8, "application_before", &applicationBefore)
        visitor.field(9, "application_after", &applicationAfter)
        visitor.field(30, "follow_before", &followBefore)
        visitor.field(31, "follow_after", &followAfter)
        visitor.field(32, "group_before", &groupBefore)
        visitor.field(33, "group_after", &groupAfter)
        visitor.field(34, "profile_before", &profileBefore)
        visitor.field(35, "profile_after", &profileAfter)
        visitor.field(36, "profile_fields", &profileFields)
    }
}

/// The rows between two users, or those of one user alone, that one call changed.
public struct HistoryEntry: CodedMessage {
    /// The entry's position in the history of the app: a later entry has a higher one.
    public var position: Int64 = 0
    /// When the call was made.
    public var timeMs: Int64 = 0
    /// The kind of the call's credential.
    public var caller = CallerKind.unspecified
    /// The acting user; empty if the call acted for the app.
    public var actorUserID = ""
    /// The device that the call named.
    public var deviceID = ""
    /// The `request_id` of the call; of an import, its `import_id`.
    public var requestID = ""
    /// The rows, in the order in which the call wrote them.
    public var changes: [HistoryChange] = []
    /// The credential: its kind and its id, in the words of `caller` in AuditRecord.
    public var credential = ""
    /// Where the caller's address lies: `loopback`, `private`, `public`, or `socket` for one in the
    /// file system.
    public var address = ""
    /// The answer of a hook that was asked about the call.
    public var hookAnswer = HookAnswer.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.HistoryEntry", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "position", &position)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "caller", &caller)
        visitor.field(4, "actor_user_id", &actorUserID)
        visitor.field(5, "device_id", &deviceID)
        visitor.field(6, "request_id", &requestID)
        visitor.field(7, "changes", &changes)
        visitor.field(20, "credential", &credential)
        visitor.field(21, "address", &address)
        visitor.field(22, "hook_answer", &hookAnswer)
    }
}

/// The request of ListHistory.
public struct ListHistoryRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most entries to look at: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The user that the entries name; empty means all.
    public var aboutUserID = ""
    /// The other user that they name; empty means any.
    public var withUserID = ""
    /// The kinds of changes to list: up to 64; none means all.
    public var kinds: [ChangeKind] = []
    /// The user that acted; empty means any.
    public var actorUserID = ""
    /// Leaves out entries of before this time; 0 means none.
    public var sinceTimeMs: Int64 = 0
    /// Leaves out entries of this time and later; 0 means none.
    public var untilTimeMs: Int64 = 0
    /// The `request_id` of the calls, or the `import_id` of an import: at most 64 bytes; empty
    /// means any.
    public var ofRequestID = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListHistoryRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "about_user_id", &aboutUserID)
        visitor.field(6, "with_user_id", &withUserID)
        visitor.field(7, "kinds", &kinds)
        visitor.field(8, "actor_user_id", &actorUserID)
        visitor.field(9, "since_time_ms", &sinceTimeMs)
        visitor.field(10, "until_time_ms", &untilTimeMs)
        visitor.field(11, "of_request_id", &ofRequestID)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListHistory.
public struct ListHistoryResponse: CodedMessage, PagedList {
    /// The entries of this page.
    public var entries: [HistoryEntry] = []
    public var nextPageToken = ""
    /// How many entries the app keeps, whatever is left out here.
    public var totalSize: Int32 = 0
    /// How many bytes these entries have in the store; `history_bytes` bounds them.
    public var keptBytes: Int64 = 0

    public init() {}

    public var pageItems: [HistoryEntry] { entries }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListHistoryResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "entries", &entries)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
        visitor.field(4, "kept_bytes", &keptBytes)
    }
}

/// The request of UndoChanges: either `positions`, or which calls are taken back.
public struct UndoChangesRequest: AppWriteRequest {
    public var options: WriteOptions?
    /// The positions of the entries to take back: 1 to 100.
    public var positions: [Int64] = []
    /// Takes back what the calls with this `request_id` changed, or the import with this
    /// `import_id`: at most 64 bytes; empty means calls of any.
    public var ofRequestID = ""
    /// Takes back what this user changed; empty means calls of all users and of the app.
    public var actorUserID = ""
    /// Takes back what calls with a credential of this kind changed; unspecified means calls of
    /// all.
    public var caller = CallerKind.unspecified
    /// Takes nothing back of before this time.
    public var sinceTimeMs: Int64 = 0
    /// Takes nothing back of this time and later; 0 means no bound.
    public var untilTimeMs: Int64 = 0
    /// Takes only entries before this position back: the `next_before_position` of the answer
    /// before.
    public var beforePosition: Int64 = 0
    /// The most entries to take back: 1 to 100; 0 means 100.
    public var maxEntries: Int32 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UndoChangesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "positions", &positions)
        visitor.field(4, "of_request_id", &ofRequestID)
        visitor.field(5, "actor_user_id", &actorUserID)
        visitor.field(6, "caller", &caller)
        visitor.field(7, "since_time_ms", &sinceTimeMs)
        visitor.field(8, "until_time_ms", &untilTimeMs)
        visitor.field(9, "before_position", &beforePosition)
        visitor.field(10, "max_entries", &maxEntries)
    }
}

/// The outcome for one position of UndoChanges.
public struct UndoChangesResult: ResultMessage {
    /// The position.
    public var position: Int64 = 0
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    /// Whether a row changed.
    public var changed = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UndoChangesResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "position", &position)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "changed", &changed)
    }
}

/// The response of UndoChanges.
public struct UndoChangesResponse: WriteAnswer {
    public var write = WriteOutcome()
    /// The outcome of each position, in the order of the request, or of each entry that the server
    /// chose, the latest first.
    public var results: [UndoChangesResult] = []
    /// The `before_position` of the next request, if there may be more entries to take back; 0 if
    /// there are none.
    public var nextBeforePosition: Int64 = 0

    public init() {}
}

extension UndoChangesResponse: CodedMessage, WriteResponse, ItemsResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UndoChangesResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "results", &results)
        visitor.field(5, "next_before_position", &nextBeforePosition)
        write.visitLast(&visitor)
    }
}
