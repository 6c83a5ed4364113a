import RelationModel

extension FieldDefaults {
    /// All choices of the lists.
    var joined: [FieldChoiceRecord] {
        var choices: [FieldChoiceRecord] = []
        let lists: [([String], Visibility)] = [
            (oneself, .invisible), (friends, .friends), (followers, .followers),
            (everyone, .everyone),
        ]
        for (paths, visibility) in lists {
            for path in paths where choices.index(of: path) == nil {
                choices.set(path) { $0.visibility = visibility }
            }
        }
        return choices
    }

    /// The defaults of the fields that are names.
    var ofNames: FieldDefaults {
        guard !choices.isEmpty else { return self }
        var defaults = self
        defaults.choices = choices.filter { choice in
            ProfileField.names.contains { $0.name.isExactly(choice.path) }
        }
        return defaults
    }

    /// Whether the field of that path may have a default: a custom field need not be defined yet.
    package static func allows(_ path: String) -> Bool {
        if let key = CustomPath.key(in: path) { return !key.isEmpty }
        return ProfileField(named: path)?.hasChoice ?? false
    }
}

extension ProfileField {
    /// The names by which lists are sorted, but for the nick.
    static let names: [ProfileField] = [.name, .firstName, .middleName, .lastName]

    /// Whether its user may choose who sees it.
    ///
    /// Every user sees nick and portrait, and no other user sees what is private.
    package var hasChoice: Bool { !isAlwaysVisible && !isPrivate }
}
