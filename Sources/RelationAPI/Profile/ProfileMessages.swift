public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/profile.proto, where every field is explained.

/// A user's profile.
public struct Profile: Message, Equatable {
    public var userID = ""
    public var nick = ""
    public var faceURL = ""
    public var allowType: AllowType?
    public var gender = Gender.unknown
    public var birthday: UInt32 = 0
    public var location: [UInt8] = []
    public var language: UInt32 = 0
    public var level: UInt32 = 0
    public var role: UInt32 = 0
    public var selfSignature: [UInt8] = []
    public var msgSettings: UInt32 = 0
    public var adminForbidType = AdminForbidType.none
    public var version: Int64 = 0

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
    }
}

/// The request of GetSelfProfile.
public struct GetSelfProfileRequest: Message {
    public var userID = ""
    public var options: ReadOptions?
    public var readMask: FieldMask?

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetSelfProfileRequest", GetSelfProfileRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "read_mask", &readMask)
    }
}

/// The response of GetSelfProfile.
public struct GetSelfProfileResponse: Message {
    public var profile: Profile?

    public init() {}

    public static let schema = Schema(
        "relation.v1.GetSelfProfileResponse", GetSelfProfileResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
    }
}

/// The request of GetProfiles.
public struct GetProfilesRequest: Message {
    public var userID = ""
    public var options: ReadOptions?
    public var userIDs: [String] = []
    public var readMask: FieldMask?

    public init() {}

    public static let schema = Schema("relation.v1.GetProfilesRequest", GetProfilesRequest.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
    }
}

/// The response of GetProfiles.
public struct GetProfilesResponse: Message {
    public var results: [GetProfileResult] = []

    public init() {}

    public static let schema = Schema("relation.v1.GetProfilesResponse", GetProfilesResponse.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "results", &results)
    }
}

/// One profile that was asked for.
public struct GetProfileResult: Message {
    public var userID = ""
    public var code = ProfileStatus.success
    public var info = ""
    public var profile: Profile?

    public init() {}

    public static let schema = Schema("relation.v1.GetProfileResult", GetProfileResult.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
        visitor.field(4, "profile", &profile)
    }
}

/// The request of UpdateProfile.
public struct UpdateProfileRequest: Message {
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
public struct UpdateProfileResponse: Message {
    public var sequence: Int64 = 0
    public var applied = false
    public var replayed = false
    public var code = ProfileStatus.success
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
        visitor.field(5, "info", &info)
        visitor.field(6, "violations", &violations)
        visitor.field(7, "version", &version)
    }
}

/// One field that was refused.
public struct ProfileViolation: Message, Equatable {
    public var key = ""
    public var code = ProfileStatus.success
    public var info = ""

    public init() {}

    public static let schema = Schema("relation.v1.ProfileViolation", ProfileViolation.self)

    public mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.field(2, "code", &code)
        visitor.field(3, "info", &info)
    }
}
