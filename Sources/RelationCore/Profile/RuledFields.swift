import RelationModel

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
