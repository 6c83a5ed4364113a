public import Protobuf
public import RelationModel

// The messages of UpdateProfile in proto/relation/v1/profile.proto, where every
// field is explained.

/// The request of UpdateProfile.
public struct UpdateProfileRequest: WriteRequest {
    /// The acting user, whose profile is changed.
    public var userID = ""
    public var options: WriteOptions?
    /// The new values of the fields that `update_mask` names.
    public var profile: Profile?
    /// The fields of `profile` to write; none means all that are set.
    public var updateMask: FieldMask?
    /// The new values under the sources' names.
    public var tags: [TagValue] = []
    /// The version that the profile must have, as an earlier answer reported it.
    public var expectedVersion: Int64?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateProfileRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_id", &userID)
        visitor.field(2, "options", &options)
        visitor.field(3, "profile", &profile)
        visitor.field(4, "update_mask", &updateMask)
        visitor.field(5, "tags", &tags)
        visitor.field(6, "expected_version", &expectedVersion)
    }
}

/// The response of UpdateProfile, whose `applied` says whether the profile changed, or the account
/// was made.
public struct UpdateProfileResponse: WriteResponse, ResultMessage {
    public var write = WriteOutcome()
    /// The outcome, always set: 0, or that of the first violation.
    public var code: ProfileStatus?
    /// The reason of the first violation; unspecified on success.
    public var reason = Reason.none
    public var info = ""
    /// Every field that was refused, in the order of the request (ours).
    public var violations: [ProfileViolation] = []
    /// The profile's version after the write, or after the write that a dry run tried.
    public var version: Int64 = 0
    /// The paths of the fields of the request that are under review after the write, in the order
    /// of Profile and then of the keys of custom fields (ours).
    public var reviewedFields: [String] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.UpdateProfileResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "code", &code)
        visitor.field(5, "reason", &reason)
        visitor.field(6, "info", &info)
        visitor.field(7, "violations", &violations)
        visitor.field(8, "version", &version)
        visitor.field(10, "reviewed_fields", &reviewedFields)
        write.visitLast(&visitor)
    }
}

/// One field that was refused.
public struct ProfileViolation: CodedMessage {
    /// The field, as the request named it: a path of the mask or a tag.
    public var key = ""
    /// The code of the refusal, always set.
    public var code: ProfileStatus?
    /// The reason of the outcome; unspecified if there is nothing more to say.
    public var reason = Reason.none
    /// The `reason` in TIM's form, as its comment names it; empty if it is unspecified.
    public var info = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ProfileViolation", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "key", &key)
        visitor.field(2, "code", &code)
        visitor.field(3, "reason", &reason)
        visitor.field(4, "info", &info)
    }
}
