package import RelationModel

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

extension FieldAccessState {
    /// The state of a field that is for those users, and not for the viewer.
    static func only(_ visibility: Visibility) -> FieldAccessState {
        switch visibility {
        case .friends: .onlyFriends
        case .followers: .onlyFollowers
        case .groups: .onlyGroups
        default: .onlyOneself
        }
    }
}
