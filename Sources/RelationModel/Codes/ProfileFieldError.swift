/// The errors of one field of an update of a profile: the code in each preset, and the reason.
///
/// The order is the one in which a field is checked.
package enum ProfileFieldError: Error, CaseIterable {
    /// It is one custom field more than the app allows.
    case tooManyCustomFields
    /// A profile has no such field.
    case unknownField
    /// The app has no custom field of that name.
    case unknownCustomField
    /// The field also stands earlier in the request.
    case duplicate
    /// The caller may not write the field.
    case notWritable
    /// The value is of the wrong kind.
    case wrongKind
    /// The value is too long.
    case tooLong
    /// The value is of the right kind, but the field cannot have it.
    case illegalValue
    /// A text holds a word that the app forbids.
    case sensitiveText
    /// Another user has the unique identifier.
    case uniqueIDTaken
    /// The value would be under review, and the app has as many reviews as it may have.
    case reviewsFull

    /// The code in an app of that preset.
    package func code(in preset: AppPreset) -> ProfileStatus {
        preset == .rongCloud ? codes.rongCloud : codes.tim
    }

    private var codes: (tim: ProfileStatus, rongCloud: ProfileStatus) {
        switch self {
        case .tooManyCustomFields: (.sizeLimit, .customCountLimit)
        case .unknownField: (.tagNotFound, .keyNotExist)
        case .unknownCustomField: (.tagNotFound, .customKeyNotExist)
        case .duplicate, .reviewsFull: (.invalidParameter, .invalidParameter)
        case .notWritable: (.writePermissionRequired, .keyNotAllowed)
        case .wrongKind: (.invalidValueFormat, .onlyNumbers)
        case .tooLong: (.sizeLimit, .lengthLimit)
        case .illegalValue, .uniqueIDTaken: (.valueError, .valueRange)
        case .sensitiveText: (.sensitiveText, .auditFailed)
        }
    }

    /// The violation's `info`.
    package var reason: Reason {
        switch self {
        case .tooManyCustomFields: Reason.ProfileSet.tooManyCustomFields
        case .unknownField, .unknownCustomField: Reason.ProfileSet.tagNotExist
        case .duplicate: Reason.ProfileSet.duplicate
        case .notWritable: Reason.ProfileSet.notWritable
        case .wrongKind: Reason.ProfileSet.wrongKind
        case .tooLong: Reason.ProfileSet.tooLong
        case .illegalValue: Reason.ProfileSet.valueIllegal
        case .sensitiveText: Reason.ProfileSet.sensitiveText
        case .uniqueIDTaken: Reason.ProfileSet.uniqueIDTaken
        case .reviewsFull: Reason.ReviewDecide.full
        }
    }
}
