public import Protobuf
public import RelationModel

// The messages about visibility in proto/relation/v1/profile.proto, where every
// field is explained.

/// The request of SetVisibility.
public struct SetVisibilityRequest: Message {
    /// The acting user, whose profile it is.
    public var userID = ""
    /// How the write is carried out.
    ///
    /// `all_or_nothing` changes nothing here.
    public var options: WriteOptions?
    /// The users that may read the profile.
    ///
    /// It must be given, because NOT_SET gives the choice back to the app.
    public var visibility: Visibility?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: WriteOptions? = nil, visibility: Visibility? = nil) {
        self.userID = userID
        self.options = options
        self.visibility = visibility
    }
}

extension SetVisibilityRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityRequest", SetVisibilityRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "visibility", &visibility)
    }
}

/// The response of SetVisibility.
public struct SetVisibilityResponse: Message {
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether the choice changed.
    ///
    /// False in a dry run, and if it was the same before.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The profile's version after the write.
    ///
    /// A choice that differs from the one before counts as a change of the profile.
    public var version: Int64 = 0
    /// The visibility in effect after the write: the choice, or the app's default if the choice is
    /// NOT_SET.
    public var effective = Visibility.notSet

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false, version: Int64 = 0,
        effective: Visibility = .notSet
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.version = version
        self.effective = effective
    }
}

extension SetVisibilityResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.SetVisibilityResponse", SetVisibilityResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "version", &version)
        visitor.field(5, "effective", &effective)
    }
}

/// The request of GetVisibility.
public struct GetVisibilityRequest: Message {
    /// The acting user, whose profile it is.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(userID: String = "", options: ReadOptions? = nil) {
        self.userID = userID
        self.options = options
    }
}

extension GetVisibilityRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetVisibilityRequest", GetVisibilityRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetVisibility.
public struct GetVisibilityResponse: Message {
    /// The user's choice; always set, and NOT_SET if there is none.
    public var userLevel: Visibility?
    /// The app's default: EVERYONE in the preset `tim`, INVISIBLE in `rongcloud`.
    public var appLevel = Visibility.notSet
    /// The visibility in effect: the user's choice, else the app's default.
    public var effective = Visibility.notSet

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userLevel: Visibility? = nil, appLevel: Visibility = .notSet,
        effective: Visibility = .notSet
    ) {
        self.userLevel = userLevel
        self.appLevel = appLevel
        self.effective = effective
    }
}

extension GetVisibilityResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetVisibilityResponse", GetVisibilityResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_level", &userLevel)
        visitor.field(2, "app_level", &appLevel)
        visitor.field(3, "effective", &effective)
    }
}
