public import Protobuf
public import RelationModel

// The messages of UpdateProfile in proto/relation/v1/profile.proto, where every
// field is explained.

/// The request of UpdateProfile.
public struct UpdateProfileRequest: Message {
    /// The acting user, whose profile is changed.
    ///
    /// TIM's From_Account.
    public var userID = ""
    /// How the write is carried out.
    ///
    /// `all_or_nothing` changes nothing here, because an update always is all or nothing.
    public var options: WriteOptions?
    /// The new values of the fields that `update_mask` names.
    ///
    /// A field that is named and left out gets its default. Only `allow_type` then stays as it is.
    ///
    /// Without a mask, every field that is set here is written, and the others stay; `user_id`,
    /// `version` and `age_range` are ignored. A text, `birthday`, `location` and `self_signature`
    /// cannot be emptied in this way, because an empty value is not set; `custom` sets and empties
    /// the custom fields that it has.
    public var profile: Profile?
    /// The fields of `profile` to write; none means all that are set.
    ///
    /// A path that is no field, and one that no call writes, such as `user_id`, `version`,
    /// `age_range` and a custom key that the app has not defined, is INVALID_ARGUMENT. A field that
    /// this caller may not write is 40008.
    public var updateMask: FieldMask?
    /// The new values under the sources' names.
    ///
    /// Texts, bytes and numbers are given as the tag requires; enums as the number, or as TIM's
    /// word in `text`. At most 64, no field twice. TIM's ProfileItem. The names are:
    ///
    /// - TIM's tags and, in its client, keys: `Tag_Profile_IM_Nick`, `Tag_Profile_Custom_KEY`,
    ///   `TIMProfileTypeKey_Nick`, `TIMProfileTypeKey_Custom_KEY`;
    /// - RongCloud's: `name` (the nick), `portraitUri`, `uniqueId`, `email`, `birthday` and
    ///   `location` (the texts), `gender`, `role`, `level`;
    /// - Facebook's: `first_name`, `middle_name`, `last_name`, `link`, `username`, `locale`,
    ///   `picture`.
    public var tags: [TagValue] = []
    /// The version that the profile must have, as an earlier answer told it.
    ///
    /// If the profile has another version, the call is ABORTED, reason VERSION_STALE, with the
    /// present version in metadata `version`. Absent means any version.
    public var expectedVersion: Int64?

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        userID: String = "", options: WriteOptions? = nil, profile: Profile? = nil,
        updateMask: FieldMask? = nil, tags: [TagValue] = [], expectedVersion: Int64? = nil
    ) {
        self.userID = userID
        self.options = options
        self.profile = profile
        self.updateMask = updateMask
        self.tags = tags
        self.expectedVersion = expectedVersion
    }
}

extension UpdateProfileRequest: WriteRequest {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateProfileRequest", UpdateProfileRequest.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
    /// The acting user's sequence after the write.
    ///
    /// In a dry run, and if nothing changed, its sequence before the write.
    public var sequence: Int64 = 0
    /// Whether the profile changed, or the account was made.
    ///
    /// False in a dry run, if `code` is not 0, and if the profile had all of these values already.
    public var applied = false
    /// Whether this is the answer of an earlier request with the same `request_id`.
    public var replayed = false
    /// The outcome, always set: 0, or that of the first violation.
    ///
    /// TIM's ErrorCode.
    public var code: ProfileStatus?
    /// The reason of the first violation; unspecified on success.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    ///
    /// TIM's ErrorInfo.
    public var info = ""
    /// Every field that was refused, in the order of the request (ours).
    ///
    /// RongCloud's `errorKeys`.
    public var violations: [ProfileViolation] = []
    /// The profile's version after the write, or after the write that a dry run tried.
    ///
    /// If the update was refused, or changed nothing, it is the version before.
    public var version: Int64 = 0

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        sequence: Int64 = 0, applied: Bool = false, replayed: Bool = false,
        code: ProfileStatus? = nil, reason: Reason = .none, info: String = "",
        violations: [ProfileViolation] = [], version: Int64 = 0
    ) {
        self.sequence = sequence
        self.applied = applied
        self.replayed = replayed
        self.code = code
        self.reason = reason
        self.info = info
        self.violations = violations
        self.version = version
    }
}

extension UpdateProfileResponse: WriteResponse {
    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateProfileResponse", UpdateProfileResponse.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
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
public struct ProfileViolation: Message {
    /// The field, as the request named it: a path of the mask or a tag.
    public var key = ""
    /// The code of the refusal.
    public var code = ProfileStatus.success
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""

    public init() {}

    /// Creates the message of these fields; a field that is left out is not set.
    public init(
        key: String = "", code: ProfileStatus = .success, reason: Reason = .none, info: String = ""
    ) {
        self.key = key
        self.code = code
        self.reason = reason
        self.info = info
    }
}

extension ProfileViolation: CodedMessage {
    @usableFromInline package static let schema = Schema(
        "relation.v1.ProfileViolation", ProfileViolation.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
    }
}
