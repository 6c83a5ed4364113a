package import RelationModel
import Storage

/// The part of one profile that one viewer sees; only this type decides it.
///
/// It is computed whenever a profile is read or an event is sent, and is never stored.
package struct ProfileView: Equatable, Sendable {
    private enum Breadth: UInt8 {
        case everything, own, open, card, granted
        /// The card, because the owner has the viewer on its blacklist.
        case shut
    }

    private let breadth: Breadth
    /// The user's consent to a client app, if the viewer is a client app.
    private let consent: ConsentView?
    /// The fields for which a rule of their own decides; nil if there are none, as for most.
    package let ruled: RuledFields?

    /// - Parameters:
    ///   - visibility: The effective visibility: the user's choice or the app's default.
    ///   - rules: The rules of single fields.
    ///   - relations: The relations of the viewer that the rules ask for.
    package init(
        of visibility: Visibility, by viewer: ProfileViewer, _ rules: FieldRules? = nil,
        _ relations: ViewerRelations = ViewerRelations()
    ) {
        consent = nil
        let breadth: Breadth =
            switch viewer {
            case .admin: .everything
            case .oneself: .own
            case .shutOut: .shut
            case .friend: visibility == .everyone || visibility == .friends ? .open : .card
            case .follower: visibility == .everyone || visibility == .followers ? .open : .card
            case .other: visibility == .everyone ? .open : .card
            }
        self.breadth = breadth
        switch viewer {
        case .admin, .oneself, .shutOut: ruled = nil
        case .friend, .follower, .other:
            ruled = rules.map { RuledFields($0, relations, isOpen: breadth == .open) }
        }
    }

    /// The view of everyone of that breadth, if no field has a rule.
    private init(_ breadth: Breadth) {
        self.breadth = breadth
        (consent, ruled) = (nil, nil)
    }

    /// The view of a client app: consent decides, and not visibility.
    package init(_ consent: ConsentView) {
        self.consent = consent
        breadth = .granted
        ruled = nil
    }

    /// A number that the views of two users share only if both see the same.
    ///
    /// The mark of ``ruled`` is a part of it, if there is one. A viewer learns nothing of a block
    /// by it.
    package var mark: UInt8 { breadth == .shut ? Breadth.card.rawValue : breadth.rawValue }

    /// Whether the profile as a whole is for the viewer; if so, it sees the friend list too.
    package var isOpen: Bool { !showsCardOnly }

    private var showsCardOnly: Bool { breadth == .card || breadth == .shut }

    /// The fields that the viewer does not see, whether they have a value or not, in the order of
    /// ``ProfileField/allCases``.
    package var hiddenFields: [ProfileField] {
        guard ruled == nil else { return ProfileField.allCases.filter { !isVisible($0) } }
        return switch breadth {
        case .everything, .own: []
        case .open: Self.hiddenFromOthers
        case .card, .shut: Self.hiddenFromUnrelated
        case .granted: ProfileField.allCases.filter { !isVisible($0) }
        }
    }

    /// Whether the viewer may see every custom field of the app.
    package var seesAllCustomFields: Bool { breadth == .everything }

    /// The fields that the viewer sees, whether they have a value or not.
    package var fields: ProfileFields {
        let fields: ProfileFields =
            switch breadth {
            case .everything, .own: .all
            case .open: Self.seenByOthers
            case .card, .shut: Self.seenByUnrelated
            case .granted: ProfileFields(ProfileField.allCases.filter { isVisible($0) })
            }
        guard let ruled else { return fields }
        return fields.subtracting(ruled.ruled).union(ruled.seen)
    }

    private static let seenByOthers = ProfileFields.all.subtracting(
        ProfileFields(hiddenFromOthers))
    private static let seenByUnrelated = ProfileFields.all.subtracting(
        ProfileFields(hiddenFromUnrelated))
    private static let hiddenFromOthers = hidden(from: ProfileView(.open))
    private static let hiddenFromUnrelated = hidden(from: ProfileView(.card))

    private static func hidden(from view: ProfileView) -> [ProfileField] {
        ProfileField.allCases.filter { !view.isVisible($0) }
    }

    package func isVisible(_ field: ProfileField) -> Bool {
        var ladder = NoRungs()
        return isVisible(field, noting: &ladder)
    }

    /// ``isVisible(_:)-(ProfileField)``, which notes its rungs for another user than an
    /// administrator or a client app.
    @inline(__always)
    func isVisible(_ field: ProfileField, noting ladder: inout some RungRecorder) -> Bool {
        guard ladder.passes(.otherUser, breadth != .own && breadth != .everything) else {
            return true
        }
        guard ladder.passes(.privateField, !field.isPrivate) else { return false }
        guard breadth != .granted else { return isGranted(field.name) }
        guard ladder.passes(.cardField, !field.isAlwaysVisible) else { return true }
        guard ladder.passes(.peerBlacklist, breadth != .shut) else { return false }
        guard ladder.passes(.fieldChoice, !(ruled?.chosen.contains(field) ?? false)),
            ladder.passes(.fieldDefault, !(ruled?.ruled.contains(field) ?? false))
        else { return ruled?.seen.contains(field) ?? false }
        ladder.ends(.profileAudience)
        return breadth == .open
    }

    package func isVisible(_ field: CustomField) -> Bool {
        var ladder = NoRungs()
        return isVisible(field, noting: &ladder)
    }

    /// ``isVisible(_:)-(CustomField)``, which notes its rungs likewise.
    @inline(__always)
    func isVisible(_ field: CustomField, noting ladder: inout some RungRecorder) -> Bool {
        guard breadth != .everything else { return true }
        guard ladder.passes(.readableField, field.isReadable) else { return false }
        guard breadth != .granted else { return isGranted(CustomPath.prefix + field.key) }
        guard ladder.passes(.otherUser, breadth != .own) else { return true }
        guard ladder.passes(.peerBlacklist, breadth != .shut) else { return false }
        let rule = ruled?.rule(ofCustomKey: field.key)
        guard ladder.passes(.fieldChoice, !(rule?.isChosen ?? false)),
            ladder.passes(.fieldDefault, rule == nil)
        else { return rule?.isSeen ?? false }
        ladder.ends(.profileAudience)
        return breadth == .open
    }

    /// The reason for which the viewer does not see a field.
    package func hiddenState(_ field: ProfileField) -> FieldAccessState {
        ruled?.state(of: field.name) ?? .hidden
    }

    /// The reason for which the viewer does not see a custom field.
    package func hiddenState(_ field: CustomField) -> FieldAccessState {
        guard field.isReadable else { return .hidden }
        return ruled?.state(of: CustomPath.prefix + field.key) ?? .hidden
    }

    /// Whether the viewer sees the field of that path, as events name it.
    package func isVisible(path: String, _ settings: AppSettings) -> Bool {
        var ladder = NoRungs()
        return isVisible(path: path, settings, noting: &ladder)
    }

    /// ``isVisible(path:_:)``, which notes its rungs.
    func isVisible(
        path: String, _ settings: AppSettings, noting ladder: inout some RungRecorder
    ) -> Bool {
        if let field = ProfileField(named: path) { return isVisible(field, noting: &ladder) }
        guard let key = CustomPath.key(in: path),
            let field = settings.customField(key, of: .profile)
        else { return ladder.passes(.readableField, false) }
        return isVisible(field, noting: &ladder)
    }

    /// The version of `record` that the viewer gets: that of the last change that it could see.
    ///
    /// A client app gets 0: the fields that it sees change not only when users write them, but also
    /// when users grant them.
    package func version(of record: ProfileRecord) -> Int64 {
        version(record.versions)
    }

    /// The one of a profile's versions that the viewer gets.
    package func version(_ versions: ProfileVersions) -> Int64 {
        let version: Int64
        switch breadth {
        case .everything, .own: return versions.own
        case .open: version = versions.open ?? versions.own
        case .card, .shut: version = versions.card ?? versions.own
        case .granted: return 0
        }
        guard !versions.fields.isEmpty else { return version }
        return versions.fields.reduce(version) { highest, field in
            isVisible(versioned: field.path) ? max(highest, field.version) : highest
        }
    }

    /// Whether the viewer sees a field whose changes count by themselves.
    ///
    /// Changes of a custom field that users may not read do not count at all.
    private func isVisible(versioned path: String) -> Bool {
        if let field = ProfileField(named: path) { return isVisible(field) }
        guard let key = CustomPath.key(in: path) else { return false }
        return ruled?.rule(ofCustomKey: key)?.isSeen ?? (breadth == .open)
    }

    private func isGranted(_ path: String) -> Bool {
        consent?.status(of: path) == .granted
    }

    /// The visible part of `record`: its version, its visible fields, and its visible values of the
    /// app's present custom fields, in the order of their keys.
    package func masked(_ record: ProfileRecord, _ settings: AppSettings) -> ProfileRecord {
        var seen = ProfileRecord()
        seen.version = version(of: record)
        for field in ProfileField.allCases where isVisible(field) {
            field.copy(from: record, to: &seen)
        }
        seen.custom = custom(record, settings)
        return seen
    }

    /// The visible custom values of `record`, as answers show them.
    package func custom(_ record: ProfileRecord, _ settings: AppSettings) -> [CustomValue] {
        record.custom.compactMap { value in
            shown(value, settings).map { CustomValue(key: value.key, value: $0.shown(value.value)) }
        }
    }

    /// The field of a stored custom value; nil if the viewer does not see the value.
    package func shown(_ value: CustomValue, _ settings: AppSettings) -> CustomField? {
        guard !showsCardOnly || ruled?.showsCustom ?? false,
            let field = settings.customField(value.key, of: .profile), isVisible(field),
            field.accepts(value.value)
        else { return nil }
        return field
    }
}

/// The versions of a profile: its own, and those that other viewers get, as ``ProfileRecord`` has
/// them.
package struct ProfileVersions: Sendable {
    package let own: Int64
    package let open: Int64?
    package let card: Int64?
    /// The fields whose changes count by themselves.
    package let fields: [FieldChoiceRecord]
}

extension ProfileRecord {
    package var versions: ProfileVersions {
        ProfileVersions(
            own: version, open: openVersion, card: cardVersion, fields: fieldChoices)
    }
}

extension AppSettings {
    /// The effective visibility of a user that chose `visibility`.
    package func visibility(chosen visibility: Visibility) -> Visibility {
        visibility == .notSet ? defaultVisibility : visibility
    }
}

extension Visibility {
    /// Whether it takes a row to tell which viewers see more than the card.
    var dependsOnViewer: Bool { self == .friends || self == .followers }
}

extension CustomField {
    /// Whether `value` is of the field's type.
    ///
    /// A value that was stored under the key of a retired field is not, if the key now has another
    /// type.
    package func accepts(_ value: CustomValue.Value?) -> Bool {
        switch value {
        case .number: type == .uint64
        case .data(let bytes):
            type == .bytes || type == .string && String(validating: bytes, as: UTF8.self) != nil
        // No row has it.
        case .text: type == .string
        case nil: false
        }
    }
}

extension Profiles {
    /// One profile, with the viewer's view of it.
    package struct Seen {
        package let user: UserID
        package let record: ProfileRecord
        package var view: ProfileView

        /// The item of an event that carries the profile to the viewer.
        package func changeItem(_ settings: AppSettings) -> ChangeItemRecord {
            var item = ChangeItemRecord(about: user)
            var profile = view.masked(record, settings)
            profile.userID = user.text
            item.profile = profile
            return item
        }
    }

    /// The profiles of `users` as `viewer` may see them; nil for a user that is not an account.
    ///
    /// - Parameter isAdmin: Whether the viewer's credential has the scope `admin`.
    package static func visible(
        _ users: [UserID], by viewer: UserID, isAdmin: Bool, app: App,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [Seen?] {
        let (records, areClosed) = try rows(
            of: users, for: isAdmin ? nil : viewer, app: app, in: transaction)
        let rules = isAdmin ? nil : rules(of: records, app)
        let viewers = try viewers(
            of: users, choosing: records.map { $0?.visibility }, ruled: rules, closed: areClosed,
            by: viewer, isAdmin: isAdmin, app: app, in: transaction)
        return users.indices.map { index in
            records[index].map {
                let relation = viewers[index]
                let view = ProfileView(
                    of: app.settings.visibility(chosen: $0.visibility), by: relation.viewer,
                    rules?[index], relation.relations)
                return Seen(user: users[index], record: $0, view: view)
            }
        }
    }

    /// The rules of the fields of each profile; nil if no profile has any.
    private static func rules(of records: [ProfileRecord?], _ app: App) -> [FieldRules?]? {
        let defaults = app.settings.fieldDefaults
        let mayRule = { (record: ProfileRecord?) in !(record?.fieldChoices.isEmpty ?? true) }
        guard !defaults.choices.isEmpty || records.contains(where: mayRule) else { return nil }
        return records.map { record in
            record.flatMap { FieldRules($0.fieldChoices, whole: $0.visibility, defaults) }
        }
    }
}
