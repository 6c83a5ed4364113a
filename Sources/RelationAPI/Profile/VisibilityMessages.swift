public import Protobuf
public import RelationModel

// The messages about visibility in proto/relation/v1/profile.proto, where every
// field is explained.

/// The request of SetVisibility.
public struct SetVisibilityRequest: WriteRequest {
    /// The acting user, whose profile it is.
    public var userID = ""
    public var options: WriteOptions?
    /// The users that may read the profile.
    public var visibility: Visibility?
    /// The version that the profile must have, as in UpdateProfile.
    public var expectedVersion: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "visibility", &visibility)
        visitor.field(4, "expected_version", &expectedVersion)
    }
}

/// The response of SetVisibility, whose `applied` says whether the choice changed.
public struct SetVisibilityResponse: WriteResponse {
    public var write = WriteOutcome()
    /// The profile's version after the write.
    public var version: Int64 = 0
    /// The visibility in effect after the write: the choice, or the app's default if the choice is
    /// NOT_SET.
    public var effective = Visibility.notSet

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "version", &version)
        visitor.field(5, "effective", &effective)
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

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetVisibility.
public struct GetVisibilityResponse: CodedMessage {
    /// The user's choice; always set, and NOT_SET if there is none.
    public var userLevel: Visibility?
    /// The app's default: EVERYONE in the preset `tim`, INVISIBLE in `rongcloud`.
    public var appLevel = Visibility.notSet
    /// The visibility in effect: the user's choice, else the app's default.
    public var effective = Visibility.notSet

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetVisibilityResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_level", &userLevel)
        visitor.field(2, "app_level", &appLevel)
        visitor.field(3, "effective", &effective)
    }
}
