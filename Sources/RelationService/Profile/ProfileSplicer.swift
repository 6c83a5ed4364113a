import Memory
import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// Puts the profiles of answers together from stored ones, without decoding them.
///
/// Its bytes are those that the codec makes of ``ProfileAnswer``; a test compares the two.
///
/// - Important: It belongs to one call.
final class ProfileSplicer {
    private let mask: ProfileMask
    /// The app with its settings; they are too long to be copied for each profile.
    private let app: App
    private let withUnset: Bool
    private let today: CalendarDay
    private let arena: Arena
    private let parts = ProfileParts.shared
    /// The latest reasons, which the next profiles mostly share.
    private var latest: Reasons?

    /// The entries of `field_access`, encoded, and what decides them.
    private struct Reasons {
        let view: ProfileView
        let unset: ProfileFields
        let bytes: [UInt8]
    }

    /// - Parameters:
    ///   - withUnset: Whether to name the fields that have no value too.
    ///   - today: The day from which an age is counted.
    ///   - arena: The memory of the call, in which the answers are put together.
    init(
        _ mask: ProfileMask, _ app: App, withUnset: Bool = false, on today: CalendarDay,
        _ arena: Arena
    ) {
        self.mask = mask
        self.app = app
        self.withUnset = withUnset
        self.today = today
        self.arena = arena
    }

    /// The age by the birthday of a profile, whether it is shown or not.
    func age(of seen: StoredProfiles.Seen) -> AgeBracket? {
        AgeBracket.of(birthday: seen.profile.birthday, on: today)
    }

    /// The part of a profile that the view and the mask let through.
    ///
    /// - Throws: ``CodecError``: `outOfMemory`.
    func profile(
        of user: UserID, _ seen: StoredProfiles.Seen, _ age: AgeBracket?
    ) throws(CodecError) -> Encoded<Profile> {
        let stored = seen.profile
        let shown = mask.fields.rawValue & seen.view.fields.rawValue
        var room = Self.fixedRoom + Limits.userIDBytes + stored.bytes.count
        for custom in stored.custom { room += custom.bytes.count }
        var splice = try Splice(room: room, in: arena)
        splice.append(parts.userID, user.text)
        let version = mask.hasVersion ? seen.view.version(stored.versions) : 0
        stored.bytes.withUnsafeBytes { bytes in
            if stored.written.rawValue & ~shown == 0 {
                splice.append(UnsafeRawBufferPointer(rebasing: bytes[..<stored.versionOffset]))
                append(version, to: &splice)
                splice.append(UnsafeRawBufferPointer(rebasing: bytes[stored.versionOffset...]))
            } else {
                append(stored, bytes, shown: ProfileFields(rawValue: shown), version, to: &splice)
            }
        }
        if let age, ProfileFields(rawValue: shown).contains(.ageRange) {
            for known in parts.ages where known.least == age.least {
                known.bytes.withUnsafeBytes { splice.append($0) }
            }
        }
        for custom in stored.custom where mask.contains(customKey: custom.value.key) {
            if let field = seen.view.shown(custom.value, app.settings) {
                custom.append(as: field, to: &splice)
            }
        }
        return splice.finished()
    }

    /// Appends the fields that are shown, with the version in its place.
    private func append(
        _ stored: StoredProfile, _ bytes: UnsafeRawBufferPointer, shown: ProfileFields,
        _ version: Int64, to splice: inout Splice
    ) {
        var start = 0
        var isBeforeVersion = true
        for part in stored.parts {
            if isBeforeVersion, part.end > stored.versionOffset {
                append(version, to: &splice)
                isBeforeVersion = false
            }
            if shown.contains(number: part.number) {
                splice.append(UnsafeRawBufferPointer(rebasing: bytes[start..<part.end]))
            }
            start = part.end
        }
        if isBeforeVersion { append(version, to: &splice) }
    }

    private func append(_ version: Int64, to splice: inout Splice) {
        guard version != 0 else { return }
        splice.append(parts.version, UInt64(bitPattern: version))
    }

    /// The room for the tag and the length of the id, the version, and the age.
    private static let fixedRoom = Splice.prefixBytes + Splice.numberBytes + 16

    /// The result of GetProfiles for a profile.
    ///
    /// - Throws: ``CodecError``: `outOfMemory`.
    func result(
        of user: UserID, _ seen: StoredProfiles.Seen, _ age: AgeBracket?, viewVersion: Int64
    ) throws(CodecError) -> Encoded<GetProfileResult> {
        let profile = try profile(of: user, seen, age)
        let reasons = try reasons(seen, age)
        var splice = try Splice(
            room: Self.resultRoom + profile.count + reasons.count, in: arena)
        splice.append(parts.resultUserID, user.text)
        splice.append(parts.code, UInt64(ProfileStatus.success.rawValue))
        profile.withBytes { splice.append(parts.profile, $0) }
        reasons.withUnsafeBytes { splice.append($0) }
        splice.append(parts.viewVersion, UInt64(bitPattern: viewVersion))
        return splice.finished()
    }

    /// The result of GetProfiles for a profile that the caller has already.
    ///
    /// - Throws: ``CodecError``: `outOfMemory`.
    func notModified(
        _ user: UserID, viewVersion: Int64
    ) throws(CodecError) -> Encoded<GetProfileResult> {
        var splice = try Splice(room: Self.resultRoom, in: arena)
        splice.append(parts.resultUserID, user.text)
        splice.append(parts.code, UInt64(ProfileStatus.success.rawValue))
        splice.append(parts.viewVersion, UInt64(bitPattern: viewVersion))
        splice.append(parts.notModified, 1)
        return splice.finished()
    }

    /// The room for all of a result but the bytes of the profile and of the reasons.
    private static let resultRoom =
        2 * Splice.prefixBytes + 3 * Splice.numberBytes + Limits.userIDBytes

    // MARK: The reasons for absent fields

    /// The reasons for the fields that were asked for and are absent, encoded.
    private func reasons(
        _ seen: StoredProfiles.Seen, _ age: AgeBracket?
    ) throws(CodecError) -> [UInt8] {
        // The literal `[]` goes through a generic function, which costs as much as a whole answer.
        var unset = ProfileFields(rawValue: 0)
        if withUnset {
            unset = mask.fields.intersection(seen.view.fields).subtracting(seen.profile.fields)
            if age != nil { unset = unset.subtracting(ProfileFields(.ageRange)) }
        }
        // Whether custom fields have a value is not a part of what is compared here.
        let isShared = !withUnset || mask.customFields.isEmpty
        if isShared, let latest, latest.unset == unset, latest.view == seen.view {
            return latest.bytes
        }
        var bytes: [UInt8] = []
        for entry in parts.reasons where mask.contains(entry.field) {
            if !seen.view.isVisible(entry.field) {
                let state = seen.view.hiddenState(entry.field)
                bytes +=
                    state == .hidden
                    ? entry.hidden : try ProfileParts.reason(entry.field.name, state, arena)
            } else if unset.contains(entry.field) {
                bytes += entry.notSet
            }
        }
        for field in mask.customFields {
            let path = CustomPath.prefix + field.key
            if !seen.view.isVisible(field) {
                bytes += try ProfileParts.reason(path, seen.view.hiddenState(field), arena)
            } else if withUnset, !seen.profile.has(field) {
                bytes += try ProfileParts.reason(path, .notSet, arena)
            }
        }
        if isShared { latest = Reasons(view: seen.view, unset: unset, bytes: bytes) }
        return bytes
    }
}

/// The parts of answers with profiles that are not stored.
private final class ProfileParts: Sendable {
    static let shared = ProfileParts()

    let userID = SplicedField(Profile.schema, "user_id")
    let version = SplicedField(Profile.schema, "version")
    /// For each age bracket the field of the age, encoded.
    let ages: [(least: Int, bytes: [UInt8])] = AgeBracket.all.map { bracket in
        (bracket.least, Encoding.of(Profile.with { $0.ageRange = AgeRange(bracket) }))
    }

    let resultUserID = SplicedField(GetProfileResult.schema, "user_id")
    let code = SplicedField(GetProfileResult.schema, "code")
    let profile = SplicedField(GetProfileResult.schema, "profile")
    let viewVersion = SplicedField(GetProfileResult.schema, "view_version")
    let notModified = SplicedField(GetProfileResult.schema, "not_modified")
    /// For each field of a profile the two reasons for its absence, encoded.
    let reasons: [(field: ProfileField, hidden: [UInt8], notSet: [UInt8])] =
        ProfileField.allCases.map { field in
            func reason(_ state: FieldAccessState) -> [UInt8] {
                Encoding.of(
                    GetProfileResult.with { $0.fieldAccess = [FieldAccess(field.name, state)] })
            }
            return (field, reason(.hidden), reason(.notSet))
        }

    static func reason(
        _ path: String, _ state: FieldAccessState, _ arena: Arena
    ) throws(CodecError) -> [UInt8] {
        try Coder(GetProfileResult.self).bytes(
            GetProfileResult.with { $0.fieldAccess = [FieldAccess(path, state)] }, arena)
    }
}

extension Splice {
    /// Appends a text that is not empty.
    mutating func append(_ field: SplicedField, _ text: String) {
        var text = text
        text.withUTF8 { append(field, UnsafeRawBufferPointer($0)) }
    }
}

extension StoredProfile {
    /// Whether it has a value of the field's present type.
    fileprivate func has(_ field: CustomField) -> Bool {
        field.accepts(custom.first { $0.value.key.isExactly(field.key) }?.value.value)
    }
}
