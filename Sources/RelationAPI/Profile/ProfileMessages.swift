public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/profile.proto, where every field is explained.

/// How old a user is, roughly.
public struct AgeRange: Message, Hashable {
    public var min: UInt32 = 0
    public var max: UInt32?

    public init() {}

    public static let schema = Schema("relation.v1.AgeRange", AgeRange.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min", &min)
        visitor.field(2, "max", &max)
    }
}

/// A user's profile.
public struct Profile: Message, Equatable {
    public var userID = ""
    public var nick = ""
    public var faceURL = ""
    public var allowType: AllowType?
    public var gender: Gender?
    public var birthday: UInt32 = 0
    public var location: [UInt8] = []
    public var language: UInt32?
    public var level: UInt32?
    public var role: UInt32?
    public var selfSignature: [UInt8] = []
    public var msgSettings: UInt32?
    public var adminForbidType: AdminForbidType?
    public var version: Int64 = 0
    public var uniqueID = ""
    public var email = ""
    public var birthdayText = ""
    public var locationText = ""
    public var name = ""
    public var firstName = ""
    public var middleName = ""
    public var lastName = ""
    public var link = ""
    public var username = ""
    public var locale = ""
    public var pictureURL = ""
    public var ageRange: AgeRange?
    public var custom: [CustomValue] = []

    public init() {}

    public static let schema = Schema("relation.v1.Profile", Profile.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "nick", &nick)
        visitor.field(3, "face_url", &faceURL)
        visitor.field(4, "allow_type", &allowType)
        visitor.field(5, "gender", &gender)
        visitor.field(6, "birthday", &birthday)
        visitor.field(7, "location", &location)
        visitor.field(8, "language", &language)
        visitor.field(9, "level", &level)
        visitor.field(10, "role", &role)
        visitor.field(11, "self_signature", &selfSignature)
        visitor.field(12, "msg_settings", &msgSettings)
        visitor.field(13, "admin_forbid_type", &adminForbidType)
        visitor.field(14, "version", &version)
        visitor.field(15, "unique_id", &uniqueID)
        visitor.field(16, "email", &email)
        visitor.field(17, "birthday_text", &birthdayText)
        visitor.field(18, "location_text", &locationText)
        visitor.field(19, "name", &name)
        visitor.field(20, "first_name", &firstName)
        visitor.field(21, "middle_name", &middleName)
        visitor.field(22, "last_name", &lastName)
        visitor.field(23, "link", &link)
        visitor.field(24, "username", &username)
        visitor.field(25, "locale", &locale)
        visitor.field(26, "picture_url", &pictureURL)
        visitor.field(27, "age_range", &ageRange)
        visitor.field(28, "custom", &custom)
    }
}

/// The request of GetSelfProfile.
public struct GetSelfProfileRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var readMask: FieldMask?
    public var withUnsetFields = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetSelfProfileRequest", GetSelfProfileRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "read_mask", &readMask)
        visitor.field(4, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of GetSelfProfile.
public struct GetSelfProfileResponse: Message {
    public var profile: Profile?
    public var fieldAccess: [FieldAccess] = []
    public var cacheSeconds: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetSelfProfileResponse", GetSelfProfileResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
        visitor.field(3, "cache_seconds", &cacheSeconds)
    }
}

/// The request of GetProfiles.
public struct GetProfilesRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []
    public var readMask: FieldMask?
    public var withUnsetFields = false
    public var knownVersions: [String: Int64] = [:]

    public init() {}

    public static let schema = Schema("relation.v1.GetProfilesRequest", GetProfilesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
        visitor.field(6, "known_versions", &knownVersions)
    }
}

/// The response of GetProfiles.
public struct GetProfilesResponse: Message {
    public var results: [GetProfileResult] = []
    public var cacheSeconds: Int64 = 0

    public init() {}

    public static let schema = Schema("relation.v1.GetProfilesResponse", GetProfilesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
        visitor.field(2, "cache_seconds", &cacheSeconds)
    }
}

/// The answer for one user of GetProfiles.
public struct GetProfileResult: Message {
    public var userID = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    public var profile: Profile?
    public var fieldAccess: [FieldAccess] = []
    public var viewVersion: Int64 = 0
    public var notModified = false

    public init() {}

    public static let schema = Schema("relation.v1.GetProfileResult", GetProfileResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
        visitor.field(5, "profile", &profile)
        visitor.field(6, "field_access", &fieldAccess)
        visitor.field(7, "view_version", &viewVersion)
        visitor.field(8, "not_modified", &notModified)
    }
}

/// The request of UpdateProfile.
public struct UpdateProfileRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var profile: Profile?
    public var updateMask: FieldMask?
    public var tags: [TagValue] = []
    public var expectedVersion: Int64?

    public init() {}

    public static let schema = Schema("relation.v1.UpdateProfileRequest", UpdateProfileRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "profile", &profile)
        visitor.field(4, "update_mask", &updateMask)
        visitor.field(5, "tags", &tags)
        visitor.field(6, "expected_version", &expectedVersion)
    }
}

/// The response of UpdateProfile.
public struct UpdateProfileResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    public var violations: [ProfileViolation] = []
    public var version: Int64 = 0

    public init() {}

    public static let schema = Schema(
        "relation.v1.UpdateProfileResponse", UpdateProfileResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "violations", &violations)
        visitor.field(8, "version", &version)
    }
}

/// One field that was refused.
public struct ProfileViolation: Message, Equatable {
    public var key = ""
    public var code = ProfileStatus.success
    public var reason = Reason.none
    public var info = ""

    public init() {}

    public static let schema = Schema("relation.v1.ProfileViolation", ProfileViolation.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
    }
}

/// The request of FindProfileByUniqueId.
public struct FindProfileByUniqueIdRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?
    public var uniqueID = ""
    public var readMask: FieldMask?
    public var withUnsetFields = false

    public init() {}

    public static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdRequest", FindProfileByUniqueIdRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "unique_id", &uniqueID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of FindProfileByUniqueId.
public struct FindProfileByUniqueIdResponse: Message {
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    public var profile: Profile?
    public var fieldAccess: [FieldAccess] = []

    public init() {}

    public static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdResponse", FindProfileByUniqueIdResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "profile", &profile)
        visitor.field(5, "field_access", &fieldAccess)
    }
}

/// The request of SetVisibility.
public struct SetVisibilityRequest: Message, WriteRequest {
    public var userID = ""
    public var options: WriteOptions?
    public var visibility: Visibility?

    public init() {}

    public static let schema = Schema("relation.v1.SetVisibilityRequest", SetVisibilityRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "visibility", &visibility)
    }
}

/// The response of SetVisibility.
public struct SetVisibilityResponse: Message, WriteResponse {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var version: Int64 = 0
    public var effective = Visibility.notSet

    public init() {}

    public static let schema = Schema(
        "relation.v1.SetVisibilityResponse", SetVisibilityResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "sequence", &sequence)
        visitor.field(2, "applied", &applied)
        visitor.field(3, "replayed", &replayed)
        visitor.field(4, "version", &version)
        visitor.field(5, "effective", &effective)
    }
}

/// The request of GetVisibility.
public struct GetVisibilityRequest: Message, UserReadRequest {
    public var userID = ""
    public var options: ReadOptions?

    public init() {}

    public static let schema = Schema("relation.v1.GetVisibilityRequest", GetVisibilityRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
    }
}

/// The response of GetVisibility.
public struct GetVisibilityResponse: Message {
    public var userLevel: Visibility?
    public var appLevel = Visibility.notSet
    public var effective = Visibility.notSet

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetVisibilityResponse", GetVisibilityResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_level", &userLevel)
        visitor.field(2, "app_level", &appLevel)
        visitor.field(3, "effective", &effective)
    }
}
