public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/profile.proto, where every field is explained.

/// How old a user is, roughly.
public struct AgeRange: CodedMessage, Hashable {
    /// The least age of the range, in years.
    public var min: UInt32 = 0
    /// The highest age of the range, in years.
    public var max: UInt32?

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.AgeRange", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min", &min)
        visitor.field(2, "max", &max)
    }
}

/// A user's profile.
public struct Profile: CodedMessage {
    /// The user's id.
    public var userID = ""
    /// The name that others see.
    public var nick = ""
    /// The address of the user's picture, in any form.
    public var faceURL = ""
    /// The effect when others add the user.
    public var allowType: AllowType?
    /// The gender.
    public var gender: Gender?
    /// The birthday as the decimal number `yyyymmdd`, such as 20190419.
    public var birthday: UInt32 = 0
    /// The location, in a form that the app chooses; TIM means four numbers of four bytes.
    public var location: [UInt8] = []
    /// The language, as a number whose meaning the app defines.
    public var language: UInt32?
    /// The level, as a number whose meaning the app defines.
    public var level: UInt32?
    /// The role, as a number whose meaning the app defines.
    public var role: UInt32?
    /// The user's words about itself, as bytes, as in TIM's client.
    public var selfSignature: [UInt8] = []
    /// How the user wants to receive messages: bit 0 set means not at all.
    public var msgSettings: UInt32?
    /// The actions that the administrator forbids the user.
    public var adminForbidType: AdminForbidType?
    /// Counts the changes of this profile and of its visibility: 0 before the first change, 1 after
    /// it.
    public var version: Int64 = 0
    /// A handle by which FindProfileByUniqueId finds the user.
    public var uniqueID = ""
    /// The mail address; its form is not checked (ours).
    public var email = ""
    /// The birthday in the user's own words.
    public var birthdayText = ""
    /// The location in the user's own words.
    public var locationText = ""
    /// The full name.
    public var name = ""
    /// The first name.
    public var firstName = ""
    /// The name between first and last name.
    public var middleName = ""
    /// The family name.
    public var lastName = ""
    /// The address of the user's page.
    public var link = ""
    /// The name under which the user signs in.
    public var username = ""
    /// Language and country, such as `zh_TW`.
    public var locale = ""
    /// The address of the user's picture for Facebook.
    public var pictureURL = ""
    /// The age by `birthday` on the present day in UTC.
    public var ageRange: AgeRange?
    /// The values of custom fields, in the order of their keys.
    public var custom: [CustomValue] = []

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Profile", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct GetSelfProfileRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, whose profile is read.
    public var userID = ""
    public var options: ReadOptions?
    /// The fields of Profile to answer; empty means all.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false
    /// The `view_version` of the profile that the caller has from an earlier call with the same
    /// `read_mask` and `with_unset_fields`; 0 if none.
    public var knownVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSelfProfileRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "read_mask", &readMask)
        visitor.field(4, "with_unset_fields", &withUnsetFields)
        visitor.field(5, "known_version", &knownVersion)
    }

    package var readSize: ReadSize { .rows(1) }
}

/// The response of GetSelfProfile.
public struct GetSelfProfileResponse: CodedMessage {
    /// The profile; absent if `not_modified`.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    public var fieldAccess: [FieldAccess] = []
    /// For how many seconds a client may keep the profile: the app's setting, which is a day by
    /// default.
    public var cacheSeconds: Int64 = 0
    /// Stands for the answer that this caller gets under this mask, as in GetProfiles, which
    /// returns the same number for the same answer.
    public var viewVersion: Int64 = 0
    /// Whether the caller already has the whole answer: `known_version` of the request is this
    /// `view_version`.
    public var notModified = false
    /// The fields under review among those that the request asks for, in the order of Profile and
    /// then of the keys of custom fields; none if `not_modified` (ours).
    public var reviews: [ProfileReview] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSelfProfileResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
        visitor.field(3, "cache_seconds", &cacheSeconds)
        visitor.field(4, "view_version", &viewVersion)
        visitor.field(5, "not_modified", &notModified)
        visitor.field(6, "reviews", &reviews)
    }
}

/// The request of GetProfiles.
public struct GetProfilesRequest: UserReadRequest, NamingReadRequest {
    /// The acting user, for whom the profiles are read.
    public var userID = ""
    public var options: ReadOptions?
    /// The users whose profiles are read: 1 to 100; in apps of the preset `rongcloud` 1 to 20.
    public var userIDs: [String] = []
    /// The fields of Profile to answer; empty means all that the caller may read.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false
    /// For each user, the `view_version` of the profile that the caller has from an earlier call
    /// with the same `read_mask` and `with_unset_fields`.
    public var knownVersions: [String: Int64] = [:]

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.GetProfilesRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
        visitor.field(6, "known_versions", &knownVersions)
    }

    package static let users = NamedUsers(schema, rows: 4)

    package var readSize: ReadSize {
        options?.isPast == true ? .scan : .rows(userIDs.count * Self.users.rows)
    }
}

/// The response of GetProfiles.
public typealias GetProfilesResponse = GetProfilesResponseForm<GetProfileResult>

/// ``GetProfilesResponse`` as the service has it: its rows are kept as their bytes.
package typealias GetProfilesResponseView = GetProfilesResponseForm<Encoded<GetProfileResult>>

/// The response of GetProfiles.
///
/// A client has ``GetProfilesResponse``, whose rows are of type ``GetProfileResult``.
public struct GetProfilesResponseForm<Row: Message>: Message {
    /// One answer for each id of the request, in its order.
    public var results: [Row] = []
    /// For how many seconds a client may keep the profiles: the app's setting, which is a day by
    /// default.
    public var cacheSeconds: Int64 = 0

    @inlinable public init() {}
}

extension GetProfilesResponseForm: CodedMessage where Row: CodedRow {
    @usableFromInline package static var schema: Schema { getProfilesResponse.schema(Row.self) }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.rows(1, "results", &results)
        visitor.field(2, "cache_seconds", &cacheSeconds)
    }
}

private let getProfilesResponse = FormSchemas(
    "relation.v1.GetProfilesResponse", GetProfilesResponse.self, GetProfilesResponseView.self)

/// The answer for one user of GetProfiles.
public struct GetProfileResult: ResultMessage, CodedRow {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    /// The profile; only if `code` is 0 and `not_modified` is false.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    public var fieldAccess: [FieldAccess] = []
    /// Stands for the answer that this caller gets under this mask.
    public var viewVersion: Int64 = 0
    /// Whether the caller already has the whole answer: the request's `known_versions` named this
    /// `view_version`.
    public var notModified = false

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.GetProfileResult", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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

/// The request of FindProfileByUniqueId.
public struct FindProfileByUniqueIdRequest: UserReadRequest, SizedReadRequest {
    /// The acting user, for whom the profile is read.
    public var userID = ""
    public var options: ReadOptions?
    /// The whole unique id, byte by byte.
    public var uniqueID = ""
    /// The fields of Profile to answer, as in GetProfiles.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false
    /// The `view_version` that an earlier call with the same `read_mask` and `with_unset_fields`
    /// answered; 0 if none.
    public var knownVersion: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "unique_id", &uniqueID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
        visitor.field(6, "known_version", &knownVersion)
    }

    package var readSize: ReadSize { .items(1, rows: 4) }
}

/// The response of FindProfileByUniqueId.
public struct FindProfileByUniqueIdResponse: ResultMessage {
    public var code: ProfileStatus?
    public var reason = Reason.none
    public var info = ""
    /// The profile; only if `code` is 0 and `not_modified` is false.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    public var fieldAccess: [FieldAccess] = []
    /// Stands for the user that was found and for the answer that this caller gets under this mask.
    public var viewVersion: Int64 = 0
    /// Whether the caller already has the whole answer: `known_version` of the request is this
    /// `view_version`.
    public var notModified = false

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "profile", &profile)
        visitor.field(5, "field_access", &fieldAccess)
        visitor.field(6, "view_version", &viewVersion)
        visitor.field(7, "not_modified", &notModified)
    }
}
