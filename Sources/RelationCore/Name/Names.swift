package import RelationModel

/// The names of a user, and who may know them: the part of a profile by which lists are sorted.
package struct Names: CachedValue, Equatable {
    package var nick = ""
    package var name = ""
    package var firstName = ""
    package var middleName = ""
    package var lastName = ""
    /// The visibility that the user chose; if it chose none, that of the app applies.
    package var visibility = Visibility.notSet
    /// The user's choices for the names alone.
    package var fieldChoices: [FieldChoiceRecord] = []

    package init() {}

    /// - Parameter record: Nil if the user never set anything in its profile.
    package init(_ record: ProfileRecord?) {
        guard let record else { return }
        nick = record.nick ?? ""
        name = record.name ?? ""
        firstName = record.firstName ?? ""
        middleName = record.middleName ?? ""
        lastName = record.lastName ?? ""
        visibility = record.visibility
        guard !record.fieldChoices.isEmpty else { return }
        fieldChoices = record.fieldChoices.chosen.filter { choice in
            ProfileField.names.contains { $0.name.isExactly(choice.path) }
        }
    }

    /// Whether there is a name that some users may not know.
    ///
    /// Every user may know the nick.
    var hasSecrets: Bool { !(name.isEmpty && givenName.isEmpty && lastName.isEmpty) }

    /// First and middle name.
    package var givenName: String { joined(firstName, middleName) }

    /// The names that `view` shows; a name that it hides is empty.
    func visible(in view: ProfileView) -> Names {
        var names = self
        if !view.isVisible(.nick) { names.nick = "" }
        if !view.isVisible(.name) { names.name = "" }
        if !view.isVisible(.firstName) { names.firstName = "" }
        if !view.isVisible(.middleName) { names.middleName = "" }
        if !view.isVisible(.lastName) { names.lastName = "" }
        return names
    }

    /// First, middle and last name in the given order, as far as they are set; else the name.
    package func full(_ order: DisplayOrder) -> String {
        let full = order == .lastName ? joined(lastName, givenName) : joined(givenName, lastName)
        return full.isEmpty ? name : full
    }

    private func joined(_ one: String, _ other: String) -> String {
        if one.isEmpty { return other }
        return other.isEmpty ? one : "\(one) \(other)"
    }

    var cost: Int {
        [nick, name, firstName, middleName, lastName].reduce(200 + 150 * fieldChoices.count) {
            $0 + $1.utf8.count
        }
    }
}
