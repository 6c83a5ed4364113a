public import Protobuf
public import RelationModel

// The messages about finding users in proto/relation/v1/profile.proto, where every field is
// explained.

/// The users that may find a user, for each way of finding it (ours).
public struct FindSettings: CodedMessage {
    /// By its id.
    public var byID: Findability?
    /// By its unique id.
    public var byUniqueID: Findability?
    /// By its nick, and by the pinyin of it.
    public var byName: Findability?
    /// By the digest of a phone number of it.
    public var byPhone: Findability?
    /// By the digest of a mail address of it.
    public var byEmail: Findability?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FindSettings", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "by_id", &byID)
        visitor.field(2, "by_unique_id", &byUniqueID)
        visitor.field(3, "by_name", &byName)
        visitor.field(4, "by_phone", &byPhone)
        visitor.field(5, "by_email", &byEmail)
    }
}

/// A user that FindUsers has found.
public struct FoundUser: CodedMessage {
    /// The user's id.
    public var userID = ""
    /// The user's nick.
    public var nick = ""
    /// The address of the user's picture.
    public var faceURL = ""
    /// How it was found, always set.
    public var foundBy = FoundBy.unspecified

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FoundUser", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
        visitor.field(4, "found_by", &foundBy)
    }
}

/// The request of FindUsers.
public struct FindUsersRequest: UserReadRequest, SizedReadRequest, PagedRequest {
    /// The acting user, for whom users are looked for.
    public var userID = ""
    public var options: ReadOptions?
    /// The most users to answer: 0 means 100; more than 100 means 100.
    public var pageSize: Int32 = 0
    public var pageToken = ""
    /// The text to look for: 1 to 64 characters, at least one of them visible.
    public var keyword = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FindUsersRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
        visitor.field(5, "keyword", &keyword)
    }

    package var readSize: ReadSize { .scan }
}

/// The response of FindUsers.
public struct FindUsersResponse: CodedMessage, PagedList {
    /// The users of this page.
    public var users: [FoundUser] = []
    public var nextPageToken = ""
    /// Whether users that have the name may be missing.
    public var indexIncomplete = false

    public init() {}

    public var pageItems: [FoundUser] { users }

    @usableFromInline package static let schema = Schema("relation.v1.FindUsersResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "users", &users)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "index_incomplete", &indexIncomplete)
    }
}

/// The request of SetFindSettings.
public struct SetFindSettingsRequest: WriteRequest {
    /// The acting user, who may be found.
    public var userID = ""
    public var options: WriteOptions?
    /// The new choices: those that are set here; the others stay.
    public var settings: FindSettings?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetFindSettingsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "settings", &settings)
    }
}

/// The response of SetFindSettings.
public struct SetFindSettingsResponse: WriteResponse {
    public var write = WriteOutcome()
    /// All choices of the user after the write, or after the write that a dry run tried.
    public var settings: FindSettings?
    /// These choices as they are in effect: the app's default in place of NOT_SET.
    public var effective: FindSettings?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetFindSettingsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "settings", &settings)
        visitor.field(5, "effective", &effective)
        write.visitLast(&visitor)
    }
}

/// The request of GetFindSettings.
public struct GetFindSettingsRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, who may be found.
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFindSettingsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetFindSettings.
public struct GetFindSettingsResponse: CodedMessage {
    /// The user's choices, each set; NOT_SET where there is none.
    public var settings: FindSettings?
    /// The app's default.
    public var appLevel = Findability.notSet
    /// The choices in effect: the app's default in place of NOT_SET.
    public var effective: FindSettings?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetFindSettingsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "settings", &settings)
        visitor.field(2, "app_level", &appLevel)
        visitor.field(3, "effective", &effective)
    }
}
