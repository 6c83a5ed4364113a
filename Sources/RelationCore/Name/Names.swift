package import RelationModel

/// What a user is called, and who may know it: the part of a profile that lists are sorted by.
package struct Names: Equatable, Sendable {
    package var nick = ""
    package var name = ""
    package var firstName = ""
    package var middleName = ""
    package var lastName = ""
    /// What the user chose; the app decides if it chose nothing.
    package var visibility = Visibility.notSet

    package init() {}

    /// - Parameter record: Nil if the user never set anything.
    package init(_ record: ProfileRecord?) {
        guard let record else { return }
        nick = record.nick ?? ""
        name = record.name ?? ""
        firstName = record.firstName ?? ""
        middleName = record.middleName ?? ""
        lastName = record.lastName ?? ""
        visibility = record.visibility
    }

    /// Whether there is anything that not everybody may know.
    ///
    /// The nick is everybody's.
    var hasSecrets: Bool { !(name.isEmpty && givenName.isEmpty && lastName.isEmpty) }

    /// First and middle name.
    package var givenName: String { joined(firstName, middleName) }

    /// What is seen of them: a name that is not is empty.
    func seen(in view: ProfileView) -> Names {
        var names = self
        if !view.sees(.nick) { names.nick = "" }
        if !view.sees(.name) { names.name = "" }
        if !view.sees(.firstName) { names.firstName = "" }
        if !view.sees(.middleName) { names.middleName = "" }
        if !view.sees(.lastName) { names.lastName = "" }
        return names
    }

    /// First, middle and last name in the order asked for, as far as they are set; else the name.
    package func full(_ order: DisplayOrder) -> String {
        let full = order == .lastName ? joined(lastName, givenName) : joined(givenName, lastName)
        return full.isEmpty ? name : full
    }

    private func joined(_ one: String, _ other: String) -> String {
        if one.isEmpty { return other }
        return other.isEmpty ? one : "\(one) \(other)"
    }

    var cost: Int {
        [nick, name, firstName, middleName, lastName].reduce(200) { $0 + $1.utf8.count }
    }
}

/// A user of one app.
package struct AppUser: Hashable, Sendable {
    package let app: UInt32
    package let user: UserID

    package init(app: UInt32, user: UserID) {
        self.app = app
        self.user = user
    }
}
