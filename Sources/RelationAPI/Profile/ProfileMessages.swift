public import Protobuf
public import RelationModel

// The messages of proto/relation/v1/profile.proto, where every field is explained.

/// How old a user is, roughly.
public struct AgeRange: Message, Hashable {
    /// The least age of the range, in years.
    public var min: UInt32 = 0
    /// The highest age of the range, in years.
    ///
    /// Absent if the range has no end.
    public var max: UInt32?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(min: UInt32 = 0, max: UInt32? = nil) {
        self.min = min
        self.max = max
    }
}

extension AgeRange: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.AgeRange", AgeRange.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "min", &min)
        visitor.field(2, "max", &max)
    }
}

/// A user's profile.
public struct Profile: Message {
    /// The user's id.
    ///
    /// A call never writes it. TIM's `identifier`.
    public var userID = ""
    /// The name that others see.
    ///
    /// At most 500 bytes, or 32 characters. Tag_Profile_IM_Nick; RongCloud's `name`.
    public var nick = ""
    /// The address of the user's picture, in any form.
    ///
    /// At most 500 bytes, or 128 characters. Tag_Profile_IM_Image; RongCloud's `portraitUri`.
    public var faceURL = ""
    /// The effect when others add the user.
    ///
    /// If it was never set, it is absent, and the app's default is in effect: ALLOW_ANY unless the
    /// app says otherwise. If the mask of an update names it, it must be given to change anything,
    /// because zero is a value. Tag_Profile_IM_AllowType.
    public var allowType: AllowType?
    /// The gender.
    ///
    /// Tag_Profile_IM_Gender; RongCloud's and Facebook's `gender`.
    public var gender: Gender?
    /// The birthday as the decimal number `yyyymmdd`, such as 20190419.
    ///
    /// The day must exist in the calendar; 0 means none. Tag_Profile_IM_BirthDay.
    public var birthday: UInt32 = 0
    /// The place, in a form that the app chooses; TIM means four numbers of four bytes.
    ///
    /// At most 16 bytes, which are answered as they were written. Tag_Profile_IM_Location.
    public var location: [UInt8] = []
    /// The language, as a number whose meaning the app defines.
    ///
    /// Tag_Profile_IM_Language.
    public var language: UInt32?
    /// The level, as a number whose meaning the app defines; at most 100 in `rongcloud`.
    ///
    /// Tag_Profile_IM_Level; RongCloud's `level`.
    public var level: UInt32?
    /// The role, as a number whose meaning the app defines; at most 100 in `rongcloud`.
    ///
    /// Tag_Profile_IM_Role; RongCloud's `role`.
    public var role: UInt32?
    /// The user's words about itself, as bytes, as in TIM's client.
    ///
    /// At most 500 bytes. Tag_Profile_IM_SelfSignature.
    public var selfSignature: [UInt8] = []
    /// How the user wants to receive messages: bit 0 set means not at all.
    ///
    /// Only the user itself and callers with the scope `admin` may read it (ours).
    /// Tag_Profile_IM_MsgSettings.
    public var msgSettings: UInt32?
    /// The actions that the administrator forbids the user.
    ///
    /// Only the user itself and callers with the scope `admin` may read it, and only that scope may
    /// write it (ours). Tag_Profile_IM_AdminForbidType.
    public var adminForbidType: AdminForbidType?
    /// Counts the changes of this profile and of its visibility: 0 before the first change, 1 after
    /// it.
    ///
    /// In another history of the app, it goes on above all versions that the app gave out before,
    /// known or lost. A call never writes it.
    ///
    /// Another user is told the version of the last change that it sees, so that it does not learn
    /// of other changes. If it sees only the id, the nick and the portrait, it learns neither of a
    /// change of another field nor of the visibility. After the profile was closed to a caller, the
    /// version is therefore lower; `view_version` tells whether an answer differs. A client app is
    /// told 0.
    public var version: Int64 = 0
    /// A handle by which FindProfileByUniqueId finds the user: 1 to 32 letters and digits.
    ///
    /// No two users of the app have the same one. Only the scope `admin` may write it; empty frees
    /// it. RongCloud's `uniqueId`.
    public var uniqueID = ""
    /// The mail address; its form is not checked (ours).
    ///
    /// At most 128 characters. RongCloud's and Facebook's `email`.
    public var email = ""
    /// The birthday in the user's own words.
    ///
    /// At most 32 characters. RongCloud's and Facebook's `birthday`.
    public var birthdayText = ""
    /// The place in the user's own words.
    ///
    /// At most 32 characters. RongCloud's and Facebook's `location`.
    public var locationText = ""
    /// The full name.
    ///
    /// Bounded as `nick`. Facebook's `name`.
    public var name = ""
    /// The first name.
    ///
    /// Bounded as `nick`. Facebook's `first_name`.
    public var firstName = ""
    /// The name between first and last name.
    ///
    /// Bounded as `nick`. Facebook's `middle_name`.
    public var middleName = ""
    /// The family name.
    ///
    /// Bounded as `nick`. Facebook's `last_name`.
    public var lastName = ""
    /// The address of the user's page.
    ///
    /// Bounded as `face_url`. Facebook's `link`.
    public var link = ""
    /// The name under which the user signs in.
    ///
    /// Bounded as `nick`. Facebook's `username`.
    public var username = ""
    /// Language and country, such as `zh_TW`.
    ///
    /// At most 35 bytes. Facebook's `locale`.
    public var locale = ""
    /// The address of the user's picture for Facebook.
    ///
    /// Bounded as `face_url`. Facebook's `picture`.
    public var pictureURL = ""
    /// The age by `birthday` on the present day in UTC.
    ///
    /// Absent without a birthday, and for ages below 13. A call never writes it. Facebook's
    /// `age_range`.
    public var ageRange: AgeRange?
    /// The values of custom fields, in the order of their keys.
    ///
    /// Values that the caller may not read are left out, even if the caller is the user itself.
    ///
    /// In an update, the mask's path `custom` sets every field that is given here, and the other
    /// fields keep their values. The path `custom.KEY` sets that field alone, or clears it if it is
    /// not here (ours). TIM's `customInfo`, RongCloud's `userExtProfile`.
    public var custom: [CustomValue] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", nick: String = "", faceURL: String = "", allowType: AllowType? = nil,
        gender: Gender? = nil, birthday: UInt32 = 0, location: [UInt8] = [],
        language: UInt32? = nil, level: UInt32? = nil, role: UInt32? = nil,
        selfSignature: [UInt8] = [], msgSettings: UInt32? = nil,
        adminForbidType: AdminForbidType? = nil, version: Int64 = 0, uniqueID: String = "",
        email: String = "", birthdayText: String = "", locationText: String = "", name: String = "",
        firstName: String = "", middleName: String = "", lastName: String = "", link: String = "",
        username: String = "", locale: String = "", pictureURL: String = "",
        ageRange: AgeRange? = nil, custom: [CustomValue] = []
    ) {
        self.userID = userID
        self.nick = nick
        self.faceURL = faceURL
        self.allowType = allowType
        self.gender = gender
        self.birthday = birthday
        self.location = location
        self.language = language
        self.level = level
        self.role = role
        self.selfSignature = selfSignature
        self.msgSettings = msgSettings
        self.adminForbidType = adminForbidType
        self.version = version
        self.uniqueID = uniqueID
        self.email = email
        self.birthdayText = birthdayText
        self.locationText = locationText
        self.name = name
        self.firstName = firstName
        self.middleName = middleName
        self.lastName = lastName
        self.link = link
        self.username = username
        self.locale = locale
        self.pictureURL = pictureURL
        self.ageRange = ageRange
        self.custom = custom
    }
}

extension Profile: CodedMessage {
    @usableFromInline package static let schema = Schema("relation.v1.Profile", Profile.self)

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
public struct GetSelfProfileRequest: Message {
    /// The acting user, whose profile is read.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The fields of Profile to answer; empty means all.
    ///
    /// `user_id` is always answered. One custom field is `custom.KEY`. Another path is
    /// INVALID_ARGUMENT. TIM's TagList.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, readMask: FieldMask? = nil,
        withUnsetFields: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.readMask = readMask
        self.withUnsetFields = withUnsetFields
    }
}

extension GetSelfProfileRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSelfProfileRequest", GetSelfProfileRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "read_mask", &readMask)
        visitor.field(4, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of GetSelfProfile.
public struct GetSelfProfileResponse: Message {
    /// The profile.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    ///
    /// Fields that are not set are named only with `with_unset_fields`.
    public var fieldAccess: [FieldAccess] = []
    /// For how many seconds a client may keep the profile: the app's setting, which is a day by
    /// default.
    ///
    /// TIM's `expiredSeconds`.
    public var cacheSeconds: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(profile: Profile? = nil, fieldAccess: [FieldAccess] = [], cacheSeconds: Int64 = 0) {
        self.profile = profile
        self.fieldAccess = fieldAccess
        self.cacheSeconds = cacheSeconds
    }
}

extension GetSelfProfileResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetSelfProfileResponse", GetSelfProfileResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "profile", &profile)
        visitor.field(2, "field_access", &fieldAccess)
        visitor.field(3, "cache_seconds", &cacheSeconds)
    }
}

/// The request of GetProfiles.
public struct GetProfilesRequest: Message {
    /// The acting user, for whom the profiles are read.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The users whose profiles are read: 1 to 100; in apps of the preset `rongcloud` 1 to 20.
    ///
    /// In an app whose settings make profiles long, the limit is lower, as
    /// `limits.profiles_per_call` of GetLimits tells. TIM's To_Account.
    public var userIDs: [String] = []
    /// The fields of Profile to answer; empty means all that the caller may read.
    ///
    /// `user_id` is always answered. One custom field is `custom.KEY`. Another path is
    /// INVALID_ARGUMENT. TIM's TagList.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false
    /// For each user, the `view_version` of the profile that the caller has from an earlier call
    /// with the same `read_mask` and `with_unset_fields`.
    ///
    /// If it is still the present one, the profile is not sent again. At most as many entries as
    /// `user_ids` may have; users that are not in `user_ids` are ignored.
    public var knownVersions: [String: Int64] = [:]

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, userIDs: [String] = [],
        readMask: FieldMask? = nil, withUnsetFields: Bool = false,
        knownVersions: [String: Int64] = [:]
    ) {
        self.userID = userID
        self.options = options
        self.userIDs = userIDs
        self.readMask = readMask
        self.withUnsetFields = withUnsetFields
        self.knownVersions = knownVersions
    }
}

extension GetProfilesRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetProfilesRequest", GetProfilesRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "user_ids", &userIDs)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
        visitor.field(6, "known_versions", &knownVersions)
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
    ///
    /// TIM's UserProfileItem.
    public var results: [Row] = []
    /// For how many seconds a client may keep the profiles: the app's setting, which is a day by
    /// default.
    ///
    /// TIM's `expiredSeconds`.
    public var cacheSeconds: Int64 = 0

    @inlinable public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    @inlinable public init(results: [Row] = [], cacheSeconds: Int64 = 0) {
        self.results = results
        self.cacheSeconds = cacheSeconds
    }
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
public struct GetProfileResult: Message {
    /// The user, as the request named it; at most the first 256 bytes of a malformed one.
    public var userID = ""
    /// The outcome, always set.
    ///
    /// TIM's ResultCode.
    public var code: ProfileStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    ///
    /// TIM's ResultInfo.
    public var info = ""
    /// The profile; only if `code` is 0 and `not_modified` is false.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    ///
    /// Fields that are not set are named only with `with_unset_fields`. Only together with
    /// `profile`.
    public var fieldAccess: [FieldAccess] = []
    /// Stands for the answer that this caller gets under this mask.
    ///
    /// It is another number if any part of the answer differs: by the profile, its visibility, a
    /// friendship, the blacklist, or the app's settings or history. Its size has no meaning; it is
    /// above 0, and only there if `code` is 0.
    public var viewVersion: Int64 = 0
    /// Whether the caller already has the whole answer: the request's `known_versions` named this
    /// `view_version`.
    public var notModified = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", code: ProfileStatus? = nil, reason: Reason = .none, info: String = "",
        profile: Profile? = nil, fieldAccess: [FieldAccess] = [], viewVersion: Int64 = 0,
        notModified: Bool = false
    ) {
        self.userID = userID
        self.code = code
        self.reason = reason
        self.info = info
        self.profile = profile
        self.fieldAccess = fieldAccess
        self.viewVersion = viewVersion
        self.notModified = notModified
    }
}

extension GetProfileResult: CodedMessage, CodedRow {
    @usableFromInline package static let schema = Schema(
        "relation.v1.GetProfileResult", GetProfileResult.self)

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
public struct FindProfileByUniqueIdRequest: Message {
    /// The acting user, for whom the profile is read.
    public var userID = ""
    /// How the read is carried out.
    public var options: ReadOptions?
    /// The whole unique id, byte by byte: 1 to 32 letters and digits.
    public var uniqueID = ""
    /// The fields of Profile to answer, as in GetProfiles.
    public var readMask: FieldMask?
    /// Whether `field_access` also names the fields that are not set, as NOT_SET.
    public var withUnsetFields = false

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: ReadOptions? = nil, uniqueID: String = "",
        readMask: FieldMask? = nil, withUnsetFields: Bool = false
    ) {
        self.userID = userID
        self.options = options
        self.uniqueID = uniqueID
        self.readMask = readMask
        self.withUnsetFields = withUnsetFields
    }
}

extension FindProfileByUniqueIdRequest: UserReadRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdRequest", FindProfileByUniqueIdRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "unique_id", &uniqueID)
        visitor.field(4, "read_mask", &readMask)
        visitor.field(5, "with_unset_fields", &withUnsetFields)
    }
}

/// The response of FindProfileByUniqueId.
public struct FindProfileByUniqueIdResponse: Message {
    /// The outcome, always set.
    public var code: ProfileStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""
    /// The profile; only if `code` is 0.
    public var profile: Profile?
    /// The fields that the request asks for and that are absent, each with the reason, in the order
    /// of Profile and then of the keys of custom fields.
    ///
    /// Fields that are not set are named only with `with_unset_fields`.
    public var fieldAccess: [FieldAccess] = []

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        code: ProfileStatus? = nil, reason: Reason = .none, info: String = "",
        profile: Profile? = nil, fieldAccess: [FieldAccess] = []
    ) {
        self.code = code
        self.reason = reason
        self.info = info
        self.profile = profile
        self.fieldAccess = fieldAccess
    }
}

extension FindProfileByUniqueIdResponse: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.FindProfileByUniqueIdResponse", FindProfileByUniqueIdResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "code", &code)
        visitor.field(2, "reason", &reason)
        visitor.field(3, "info", &info)
        visitor.field(4, "profile", &profile)
        visitor.field(5, "field_access", &fieldAccess)
    }
}
