public import Protobuf
public import RelationModel

// The messages about visibility in proto/relation/v1/profile.proto, where every
// field is explained.

/// The users that may read one field of a profile.
public struct FieldVisibility: CodedMessage, Equatable {
    /// The field's path, such as `email` or `custom.Blood`.
    public var field = ""
    /// The users that may read it: INVISIBLE is the user alone.
    public var visibility: Visibility?
    /// The user's friend groups whose members may read it: 1 to 10 with GROUPS, and none otherwise.
    public var groupNames: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.FieldVisibility", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "group_names", &groupNames)
    }
}

/// The request of SetVisibility.
public struct SetVisibilityRequest: WriteRequest {
    /// The acting user, whose profile it is.
    public var userID = ""
    public var options: WriteOptions?
    /// The users that may read the profile.
    public var visibility: Visibility?
    /// The version that the profile must have, as in UpdateProfile.
    public var expectedVersion: Int64?
    /// The choices for single fields: at most 100, no field twice.
    public var fields: [FieldVisibility] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "visibility", &visibility)
        visitor.field(4, "expected_version", &expectedVersion)
        visitor.field(5, "fields", &fields)
    }
}

/// The response of SetVisibility, whose `applied` says whether the choice changed.
public struct SetVisibilityResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    /// The profile's version after the write.
    public var version: Int64 = 0
    /// The visibility in effect after the write: the choice, or the app's default if the choice is
    /// NOT_SET.
    public var effective = Visibility.notSet
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "version", &version)
        visitor.field(5, "effective", &effective)
        visitor.field(6, "code", &code)
        visitor.field(7, "reason", &reason)
        visitor.field(8, "info", &info)
        write.visitLast(&visitor)
    }
}

/// The request of GetVisibility.
public struct GetVisibilityRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, whose profile it is.
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetVisibilityRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }

    /// The profile, and all groups of the user if a field is for some.
    package var readSize: ReadSize { .scan }
}

/// The response of GetVisibility.
public struct GetVisibilityResponse: CodedMessage {
    /// The user's choice; always set, and NOT_SET if there is none.
    public var userLevel: Visibility?
    /// The app's default: EVERYONE in the preset `tim`, INVISIBLE in `rongcloud`.
    public var appLevel = Visibility.notSet
    /// The visibility in effect: the user's choice, else the app's default.
    public var effective = Visibility.notSet
    /// The user's choices for single fields, in the order of Profile and then of the keys.
    public var fields: [FieldVisibility] = []
    /// The app's defaults for single fields, in the same order.
    public var appFields: [FieldVisibility] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetVisibilityResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_level", &userLevel)
        visitor.field(2, "app_level", &appLevel)
        visitor.field(3, "effective", &effective)
        visitor.field(4, "fields", &fields)
        visitor.field(5, "app_fields", &appFields)
    }
}
