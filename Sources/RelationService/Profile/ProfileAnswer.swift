package import RelationAPI
import RelationCalls
package import RelationCore
package import RelationModel

/// One profile as the answer to a viewer: the visible fields, and the reasons for absent ones.
package struct ProfileAnswer {
    package private(set) var profile: Profile
    /// The reasons for fields that were asked for and are absent, in the order of
    /// ``ProfileField/allCases``, and then of the keys of custom fields.
    package private(set) var access: [FieldAccess] = []

    /// - Parameters:
    ///   - withUnset: Whether to name the fields that have no value too. Otherwise no field is
    ///     asked for its value: an empty profile has no reason at all.
    ///   - today: The day from which an age is counted.
    package init(
        _ seen: Profiles.Seen, _ mask: ProfileMask, _ settings: AppSettings,
        withUnset: Bool = false, on today: CalendarDay
    ) {
        profile = Profile(seen, mask, settings, on: today)
        if withUnset {
            nameAbsent(seen, mask, on: today)
        } else {
            nameHidden(from: seen.view, mask)
        }
    }

    /// Names the fields that the viewer does not see.
    private mutating func nameHidden(from view: ProfileView, _ mask: ProfileMask) {
        let hidden = view.hiddenFields
        access.reserveCapacity(hidden.count)
        for field in hidden where mask.contains(field) {
            access.append(FieldAccess(field.name, view.hiddenState(field)))
        }
        guard !view.seesAllCustomFields else { return }
        for field in mask.customFields where !view.isVisible(field) {
            access.append(
                FieldAccess(CustomPath.prefix + field.key, view.hiddenState(field)))
        }
    }

    /// Names the fields that the viewer does not see, and those that have no value.
    private mutating func nameAbsent(
        _ seen: Profiles.Seen, _ mask: ProfileMask, on today: CalendarDay
    ) {
        for field in ProfileField.allCases where mask.contains(field) {
            if !seen.view.isVisible(field) {
                access.append(FieldAccess(field.name, seen.view.hiddenState(field)))
            } else if !field.isSet(in: seen.record, on: today) {
                access.append(FieldAccess(field.name, .notSet))
            }
        }
        for field in mask.customFields {
            let path = CustomPath.prefix + field.key
            if !seen.view.isVisible(field) {
                access.append(FieldAccess(path, seen.view.hiddenState(field)))
            } else if !field.accepts(seen.record.custom.value(of: field.key)) {
                access.append(FieldAccess(path, .notSet))
            }
        }
    }
}

extension Profile {
    /// The part of a profile that the view and the mask let through, as lists of friends join it to
    /// their rows.
    package init(
        _ seen: Profiles.Seen, _ mask: ProfileMask, _ settings: AppSettings,
        on today: CalendarDay
    ) {
        var record = ProfileRecord()
        for field in ProfileField.stored where mask.contains(field) && seen.view.isVisible(field) {
            field.copy(from: seen.record, to: &record)
        }
        self.init(record)
        userID = seen.user.text
        if mask.hasVersion { version = seen.view.version(of: seen.record) }
        if mask.contains(.ageRange), seen.view.isVisible(.ageRange) {
            ageRange = AgeBracket.of(seen.record, on: today).map(AgeRange.init)
        }
        for row in seen.view.custom(seen.record, settings)
        where mask.contains(customKey: row.key) {
            custom.append(row)
        }
    }

    /// The whole profile as it is stored.
    init(whole record: ProfileRecord, of user: UserID) {
        self.init(record)
        userID = user.text
        version = record.version
        custom = record.custom
    }

    /// All stored fields of `record`.
    private init(_ record: ProfileRecord) {
        self.init()
        nick = record.nick ?? ""
        faceURL = record.faceURL ?? ""
        allowType = record.allowType
        gender = record.gender
        birthday = record.birthday ?? 0
        location = record.location ?? []
        language = record.language
        level = record.level
        role = record.role
        selfSignature = record.selfSignature ?? []
        msgSettings = record.msgSettings
        adminForbidType = record.adminForbidType
        uniqueID = record.uniqueID ?? ""
        email = record.email ?? ""
        birthdayText = record.birthdayText ?? ""
        locationText = record.locationText ?? ""
        name = record.name ?? ""
        firstName = record.firstName ?? ""
        middleName = record.middleName ?? ""
        lastName = record.lastName ?? ""
        link = record.link ?? ""
        username = record.username ?? ""
        locale = record.locale ?? ""
        pictureURL = record.pictureURL ?? ""
    }
}

extension AgeRange {
    package init(_ bracket: AgeBracket) {
        self.init()
        min = UInt32(bracket.least)
        max = bracket.most.map { UInt32($0) }
    }
}

/// The number in a `view_version`: it changes if the answer to a viewer changes.
///
/// It is made of everything that decides the answer, and reveals none of it. These are the version
/// that the viewer sees, the extent of its view, the fields asked for, and whether fields without a
/// value are named. The history of the app counts too, and the custom fields of the app with their
/// values count too, since an app may close and open them again. The last part is the age.
struct ViewStamp {
    /// The digest of what the request asks for, to which the parts of each answer are added.
    private let query: Digest
    private let app: App

    init(_ mask: ProfileMask, _ app: App, withUnset: Bool = false) {
        var bytes = mask.mark + [withUnset ? 1 : 0]
        let fields = app.customFields
        for field in fields where field.owner == .profile && !field.isRetired {
            bytes += [0, field.isReadable ? 1 : 0, UInt8(truncatingIfNeeded: field.type.rawValue)]
            bytes += Array(field.key.utf8)
        }
        var query = Digest()
        query.add(Digest.of(bytes))
        // Another history of the app may have the same versions for other content.
        query.add(bigEndian: app.history.id)
        self.query = query
        self.app = app
    }

    /// - Parameter age: The age by the profile's birthday.
    func version(of seen: StoredProfiles.Seen, _ age: AgeBracket?) -> Int64 {
        var digest = digest(of: seen.view, seen.profile.versions, age)
        for custom in seen.profile.custom where seen.view.shown(custom.value, app.settings) != nil {
            digest.add(custom.value)
        }
        return digest.viewVersion
    }

    /// The same number for a profile that was decoded.
    ///
    /// - Parameters:
    ///   - isFound: Whether the profile answers a search, so that the number also stands for the
    ///     user.
    ///   - reviews: The reviews that the answer has.
    func version(
        of seen: Profiles.Seen, isFound: Bool = false, with reviews: [ReviewRecord] = [],
        on today: CalendarDay
    ) -> Int64 {
        let age = AgeBracket.of(seen.record, on: today)
        var digest = digest(of: seen.view, seen.record.versions, age)
        for custom in seen.view.custom(seen.record, app.settings) { digest.add(custom) }
        if isFound { digest.add(Array(seen.user.text.utf8)) }
        for review in reviews { digest.add(Array("\(review.reviewID) \(review.field)".utf8)) }
        return digest.viewVersion
    }

    private func digest(
        of view: ProfileView, _ versions: ProfileVersions, _ age: AgeBracket?
    ) -> Digest {
        var digest = query
        digest.add(bigEndian: UInt64(bitPattern: view.version(versions)))
        digest.add(view.mark)
        if let ruled = view.ruled { digest.add(ruled.mark) }
        digest.add(view.isVisible(.ageRange) ? UInt8(age?.least ?? 0) : 0)
        return digest
    }
}

extension Digest {
    fileprivate mutating func add(_ custom: CustomValue) {
        add(Array(custom.key.utf8))
        add(0)
        switch custom.value {
        case .number(let number): add(bigEndian: number)
        case .data(let data):
            add(bigEndian: UInt64(data.count))
            add(data)
        // A row has it as bytes.
        case .text(let text):
            add(bigEndian: UInt64(text.utf8.count))
            add(Array(text.utf8))
        case nil: break
        }
    }

    fileprivate var viewVersion: Int64 { Int64(first >> 1) | 1 }
}
