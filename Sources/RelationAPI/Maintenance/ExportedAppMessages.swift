public import Protobuf
public import RelationModel

// The messages of an export's app and definitions of proto/relation/v1/maintenance.proto, where
// every field is explained.

/// The app of an export.
public struct ExportedApp: CodedMessage {
    /// The app's number.
    public var appID: UInt32 = 0
    /// The app's preset.
    public var preset = AppPreset.unspecified
    /// The app's name.
    public var name = ""
    /// When the app was made.
    public var createTimeMs: Int64 = 0
    /// The settings that the app chose itself, without `bounds`; its preset decides the others.
    public var settings: AppSettingsMessage?
    /// The highest values so far of limits of texts, for those whose present values are lower: rows
    /// that were written before may be that long.
    public var highest: AppSettingsMessage?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedApp", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "preset", &preset)
        visitor.field(3, "name", &name)
        visitor.field(4, "create_time_ms", &createTimeMs)
        visitor.field(5, "settings", &settings)
        visitor.field(6, "highest", &highest)
    }
}

/// An API key or client certificate of an export.
public struct ExportedCredential: CodedMessage {
    /// The credential.
    public var credential: Credential?
    /// The digest by which the server knows the key; empty without `include_secrets`, and for a
    /// certificate.
    public var digest: [UInt8] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedCredential", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credential", &credential)
        visitor.secret(2, "digest", &digest)
    }
}

/// A secret of users' signatures of an export.
public struct ExportedSecret: CodedMessage {
    /// When the secret was made.
    public var createTimeMs: Int64 = 0
    /// The last moment at which the secret is good; absent while it is the app's newest.
    public var expireTimeMs: Int64?
    /// The secret; empty without `include_secrets`.
    public var secret = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ExportedSecret", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "create_time_ms", &createTimeMs)
        visitor.field(2, "expire_time_ms", &expireTimeMs)
        visitor.secret(3, "secret", &secret)
    }
}

/// The end of a user's sessions of an export.
public struct ExportedSessionEnd: CodedMessage {
    /// The user; empty for all users of the app, whose earlier ends were too many to be kept.
    public var userID = ""
    /// Signatures that were made before this moment are refused.
    public var beforeTimeMs: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ExportedSessionEnd", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "before_time_ms", &beforeTimeMs)
    }
}
