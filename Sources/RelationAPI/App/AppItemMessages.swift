public import Protobuf
public import RelationModel

// The items in proto/relation/v1/app.proto, where every field is explained.

/// One app: a tenant.
///
/// No other app sees its users and rows.
public struct AppDescription: Message, Equatable {
    public var appID: UInt32 = 0
    public var preset = AppPreset.unspecified
    public var name = ""
    public var state = AppState.unspecified
    public var createTimeMs: Int64 = 0
    public var version: Int64 = 0
    public var settings: AppSettingsMessage?
    public var changedSettings: [String] = []
    public var secrets: [AppSecretDescription] = []
    public var deletion: AppDeletionProgress?

    public init() {}

    public static let schema = Schema("relation.v1.App", AppDescription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app_id", &appID)
        visitor.field(2, "preset", &preset)
        visitor.field(3, "name", &name)
        visitor.field(4, "state", &state)
        visitor.field(5, "create_time_ms", &createTimeMs)
        visitor.field(6, "version", &version)
        visitor.field(7, "settings", &settings)
        visitor.field(8, "changed_settings", &changedSettings)
        visitor.field(9, "secrets", &secrets)
        visitor.field(10, "deletion", &deletion)
    }
}

/// A secret with which an app signs its users' credentials.
public struct AppSecretDescription: Message, Equatable {
    public var createTimeMs: Int64 = 0
    public var expireTimeMs: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.AppSecret", AppSecretDescription.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "create_time_ms", &createTimeMs)
        visitor.field(2, "expire_time_ms", &expireTimeMs)
    }
}

/// The progress of the deletion of an app.
public struct AppDeletionProgress: Message, Equatable {
    public var startTimeMs: Int64 = 0
    public var removedRows: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.AppDeletion", AppDeletionProgress.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "start_time_ms", &startTimeMs)
        visitor.field(2, "removed_rows", &removedRows)
    }
}

/// The settings of an app.
public struct AppSettingsMessage: Message, Equatable {
    public var limits: AppLimitsMessage?
    public var defaultVisibility: Visibility?
    public var defaultAllowType: AllowType?
    public var applicationsPerDay: UInt32?
    public var applicationLifetimeMs: Int64?
    public var keepsFriendshipOnBlacklist: Bool?
    public var checksFriendshipOnSend: Bool?
    public var forbiddenWords: StringList?
    public var makesAccountsImplicitly: Bool?
    public var profileCacheSeconds: Int64?
    public var logLifetimeMs: Int64?
    public var logEvents: UInt32?

    public init() {}

    public static let schema = Schema("relation.v1.AppSettings", AppSettingsMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "limits", &limits)
        visitor.field(2, "default_visibility", &defaultVisibility)
        visitor.field(3, "default_allow_type", &defaultAllowType)
        visitor.field(4, "applications_per_day", &applicationsPerDay)
        visitor.field(5, "application_lifetime_ms", &applicationLifetimeMs)
        visitor.field(6, "keeps_friendship_on_blacklist", &keepsFriendshipOnBlacklist)
        visitor.field(7, "checks_friendship_on_send", &checksFriendshipOnSend)
        visitor.field(8, "forbidden_words", &forbiddenWords)
        visitor.field(9, "makes_accounts_implicitly", &makesAccountsImplicitly)
        visitor.field(10, "profile_cache_seconds", &profileCacheSeconds)
        visitor.field(11, "log_lifetime_ms", &logLifetimeMs)
        visitor.field(12, "log_events", &logEvents)
    }
}

/// The limits of an app's users.
public struct AppLimitsMessage: Message, Equatable {
    public var friends: UInt32?
    public var blacklistedUsers: UInt32?
    public var groups: UInt32?
    public var pendencies: UInt32?
    public var groupName: UInt32?
    public var remark: UInt32?
    public var wording: UInt32?
    public var nick: UInt32?
    public var faceURL: UInt32?
    public var selfSignature: UInt32?
    public var locationBytes: UInt32?
    public var uniqueID: UInt32?
    public var email: UInt32?
    public var birthdayText: UInt32?
    public var locationText: UInt32?
    public var level: UInt32?
    public var role: UInt32?
    public var profilesPerCall: UInt32?
    public var profileKeys: UInt32?
    public var friendKeys: UInt32?
    public var customValue: UInt32?
    public var subscriptions: UInt32?
    public var subscribers: UInt32?

    public init() {}

    public static let schema = Schema("relation.v1.AppLimits", AppLimitsMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "friends", &friends)
        visitor.field(2, "blacklisted_users", &blacklistedUsers)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "pendencies", &pendencies)
        visitor.field(5, "group_name", &groupName)
        visitor.field(6, "remark", &remark)
        visitor.field(7, "wording", &wording)
        visitor.field(8, "nick", &nick)
        visitor.field(9, "face_url", &faceURL)
        visitor.field(10, "self_signature", &selfSignature)
        visitor.field(11, "location_bytes", &locationBytes)
        visitor.field(12, "unique_id", &uniqueID)
        visitor.field(13, "email", &email)
        visitor.field(14, "birthday_text", &birthdayText)
        visitor.field(15, "location_text", &locationText)
        visitor.field(16, "level", &level)
        visitor.field(17, "role", &role)
        visitor.field(18, "profiles_per_call", &profilesPerCall)
        visitor.field(19, "profile_keys", &profileKeys)
        visitor.field(20, "friend_keys", &friendKeys)
        visitor.field(21, "custom_value", &customValue)
        visitor.field(22, "subscriptions", &subscriptions)
        visitor.field(23, "subscribers", &subscribers)
    }
}

/// An API key of an app, without its secret.
public struct Credential: Message, Equatable {
    public var credentialID = ""
    public var name = ""
    public var scopes: [Scope] = []
    public var createTimeMs: Int64 = 0
    public var expireTimeMs: Int64 = 0
    public var certificateSHA256: [UInt8] = []

    public init() {}

    public static let schema = Schema("relation.v1.Credential", Credential.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "credential_id", &credentialID)
        visitor.field(2, "name", &name)
        visitor.field(3, "scopes", &scopes)
        visitor.field(4, "create_time_ms", &createTimeMs)
        visitor.field(5, "expire_time_ms", &expireTimeMs)
        visitor.field(6, "certificate_sha256", &certificateSHA256)
    }
}

/// A field that an app adds to profiles or to friends.
public struct CustomFieldMessage: Message, Equatable {
    public var owner = CustomFieldOwner.unspecified
    public var key = ""
    public var valueType = CustomFieldType.unspecified
    public var adminReads = false
    public var adminWrites = false
    public var retired = false

    public init() {}

    public static let schema = Schema("relation.v1.CustomField", CustomFieldMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner", &owner)
        visitor.field(2, "key", &key)
        visitor.field(3, "value_type", &valueType)
        visitor.field(4, "admin_reads", &adminReads)
        visitor.field(5, "admin_writes", &adminWrites)
        visitor.field(6, "retired", &retired)
    }
}

/// The outcome for one custom field.
public struct CustomFieldResult: Message, Equatable {
    public var owner = CustomFieldOwner.unspecified
    public var key = ""
    public var code: FriendStatus?
    public var reason = Reason.none
    public var info = ""
    public var changed = false

    public init() {}

    public static let schema = Schema("relation.v1.CustomFieldResult", CustomFieldResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "owner", &owner)
        visitor.field(2, "key", &key)
        visitor.field(3, "code", &code)
        visitor.field(4, "reason", &reason)
        visitor.field(5, "info", &info)
        visitor.field(6, "changed", &changed)
    }
}

/// One limit.
public struct LimitMessage: Message, Equatable {
    public var name = ""
    public var value: Int64 = 0
    public var unit = LimitUnit.unspecified
    public var inUse: Int64?

    public init() {}

    public static let schema = Schema("relation.v1.Limit", LimitMessage.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "value", &value)
        visitor.field(3, "unit", &unit)
        visitor.field(4, "in_use", &inUse)
    }
}
