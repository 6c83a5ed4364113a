package import RelationModel

/// The relations of a viewer to a profile's owner by which fields may be for it.
package struct ViewerRelations: Equatable, Sendable {
    /// Whether the owner has the viewer in its friend list.
    package var isFriend = false
    /// Whether the viewer follows the owner.
    package var isFollower = false
    /// The owner's groups in which the viewer is, among those that were asked for.
    package var groups: [UInt32] = []

    package init() {}
}

/// The users for whom one field is, by its rule.
struct FieldAudience {
    let visibility: Visibility
    let groups: [UInt32]
    /// Whether the profile as a whole must be for the viewer too.
    let isBounded: Bool
    /// Whether the user chose it; otherwise it is the app's default.
    let isChosen: Bool
}

/// The fields of one profile that have a rule of their own: the user's choice, or the app's
/// default.
///
/// A profile without such a field has no rules at all, so that nothing is asked for it.
package struct FieldRules: Equatable, Sendable {
    fileprivate struct Rule: Equatable, Sendable {
        let path: String
        let visibility: Visibility
        let groups: [UInt32]
        /// Whether the profile as a whole must be for the viewer too.
        let isBounded: Bool
        /// Whether the user chose it; otherwise it is the app's default.
        let isChosen: Bool

        /// Whether both say the same, whoever says it.
        static func == (one: Rule, other: Rule) -> Bool {
            one.path == other.path && one.visibility == other.visibility
                && one.groups == other.groups && one.isBounded == other.isBounded
        }
    }

    fileprivate var rules: [Rule] = []

    /// - Parameters:
    ///   - choices: The user's choices for fields.
    ///   - visibility: The user's choice for the whole profile.
    /// - Returns: Nil if no field has a rule.
    package init?(
        _ choices: [FieldChoiceRecord], whole visibility: Visibility, _ defaults: FieldDefaults
    ) {
        guard !(choices.isEmpty && defaults.choices.isEmpty) else { return nil }
        for choice in choices where choice.visibility != .notSet {
            rules.append(
                Rule(
                    path: choice.path, visibility: choice.visibility, groups: choice.groups,
                    isBounded: false, isChosen: true))
        }
        for choice in defaults.choices where rule(of: choice.path) == nil {
            rules.append(
                Rule(
                    path: choice.path, visibility: choice.visibility, groups: [],
                    isBounded: visibility != .notSet, isChosen: false))
        }
        // The age tells much of the birthday.
        let age = ProfileField.ageRange.name
        if let birthday = rule(of: ProfileField.birthday.name), rule(of: age) == nil {
            rules.append(
                Rule(
                    path: age, visibility: birthday.visibility, groups: birthday.groups,
                    isBounded: birthday.isBounded, isChosen: birthday.isChosen))
        }
        if rules.isEmpty { return nil }
        // A choice that says what the default says leaves every other viewer's answer as it was.
        rules.sort { $0.path < $1.path }
    }

    package init?(of record: ProfileRecord, _ settings: AppSettings) {
        self.init(record.fieldChoices, whole: record.visibility, settings.fieldDefaults)
    }

    private func rule(of path: String) -> Rule? {
        rules.first { $0.path.isExactly(path) }
    }

    /// Whether the field of that path has a rule.
    func contains(_ path: String) -> Bool { rule(of: path) != nil }

    /// The users for whom the field of that path is, by its rule; nil if it has none.
    func audience(of path: String) -> FieldAudience? {
        rule(of: path).map {
            FieldAudience(
                visibility: $0.visibility, groups: $0.groups, isBounded: $0.isBounded,
                isChosen: $0.isChosen)
        }
    }

    /// Whether both have the same rule for the field, or both have none.
    static func areEqual(_ one: FieldRules?, _ other: FieldRules?, on path: String) -> Bool {
        one?.rule(of: path) == other?.rule(of: path)
    }

    var asksFriends: Bool { rules.contains { $0.visibility == .friends } }
    var asksFollowers: Bool { rules.contains { $0.visibility == .followers } }
    /// The groups that it takes to know for a viewer, each once.
    var groups: [UInt32] {
        var groups: [UInt32] = []
        for rule in rules where rule.visibility == .groups {
            for group in rule.groups where !groups.contains(group) { groups.append(group) }
        }
        return groups
    }

    /// Whether it takes a row to tell which viewers see which fields.
    var dependsOnViewer: Bool {
        rules.contains { $0.visibility.dependsOnViewer || $0.visibility == .groups }
    }
}

/// The access of one viewer to the fields of one profile that have rules.
package final class RuledFields: Equatable, Sendable {
    /// The access of the viewer to one field.
    struct Access: Equatable {
        let path: String
        /// Nil if the viewer sees the field.
        let state: FieldAccessState?
        /// Whether the rule is the user's choice.
        let isChosen: Bool

        var isSeen: Bool { state == nil }

        /// Whether both let the viewer see the same.
        static func == (one: Access, other: Access) -> Bool {
            one.path == other.path && one.state == other.state
        }
    }

    /// The fields that have a rule, custom ones excepted.
    let ruled: ProfileFields
    /// The ruled fields whose rule is the user's choice.
    let chosen: ProfileFields
    /// The ruled fields that the viewer sees.
    let seen: ProfileFields
    private let accesses: [Access]
    /// The custom fields alone; a profile has few of them.
    private let custom: [Access]

    /// - Parameter isOpen: Whether the profile as a whole is for the viewer.
    init(_ rules: FieldRules, _ relations: ViewerRelations, isOpen: Bool) {
        var (ruled, seen) = (ProfileFields(rawValue: 0), ProfileFields(rawValue: 0))
        var chosen = ProfileFields(rawValue: 0)
        var accesses: [Access] = []
        var custom: [Access] = []
        for rule in rules.rules {
            let isLetIn = relations.pass(rule.visibility, rule.groups)
            let state: FieldAccessState? =
                !isLetIn ? .only(rule.visibility) : rule.isBounded && !isOpen ? .hidden : nil
            let access = Access(path: rule.path, state: state, isChosen: rule.isChosen)
            accesses.append(access)
            guard let field = ProfileField(named: rule.path) else {
                custom.append(access)
                continue
            }
            ruled.insert(ProfileFields(field))
            if rule.isChosen { chosen.insert(ProfileFields(field)) }
            if state == nil { seen.insert(ProfileFields(field)) }
        }
        (self.ruled, self.seen, self.chosen) = (ruled, seen, chosen)
        (self.accesses, self.custom) = (accesses, custom)
    }

    package static func == (one: RuledFields, other: RuledFields) -> Bool {
        one === other || one.accesses == other.accesses
    }

    /// Whether any custom field has a rule by which the viewer sees it.
    var showsCustom: Bool { custom.contains { $0.state == nil } }

    /// The access that the rule of the custom field of that key gives; nil if it has none.
    func rule(ofCustomKey key: String) -> Access? {
        guard !custom.isEmpty else { return nil }
        let path = CustomPath.prefix + key
        return custom.first { $0.path.isExactly(path) }
    }

    /// The reason for which the field of that path is absent; nil if no rule hides it.
    func state(of path: String) -> FieldAccessState? {
        accesses.first { $0.path.isExactly(path) }?.state
    }

    /// The same bytes for two views only if they show the same fields, with the same reasons.
    package var mark: [UInt8] {
        accesses.flatMap { access in
            Array(access.path.utf8) + [0, UInt8(truncatingIfNeeded: access.state?.rawValue ?? 0)]
        }
    }
}

extension ViewerRelations {
    /// Whether a field for those users is for this viewer.
    fileprivate func pass(_ visibility: Visibility, _ groups: [UInt32]) -> Bool {
        switch visibility {
        case .everyone: true
        case .friends: isFriend
        case .followers: isFollower
        case .groups: groups.contains { self.groups.contains($0) }
        // A number that a newer server wrote lets no user in.
        default: false
        }
    }
}

extension FieldAccessState {
    /// The state of a field that is for those users, and not for the viewer.
    fileprivate static func only(_ visibility: Visibility) -> FieldAccessState {
        switch visibility {
        case .friends: .onlyFriends
        case .followers: .onlyFollowers
        case .groups: .onlyGroups
        default: .onlyOneself
        }
    }
}
