/// The name of a permission that a client app may ask a user for: 1 to 64 letters of ASCII, digits,
/// dots, colons and underscores.
package struct PermissionName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// The name that `text` spells; nil if the text breaks a rule of the alphabet or the length.
    package init?(_ text: String) {
        guard (1...Limits.permissionNameBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isLetterOrDigit || "._:".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The name from a row of the store; it was checked when the row was written.
    package init(stored text: String) {
        self.text = text
    }

    package var description: String { text }

    /// The permission that every client app gets with the first one that a user grants it.
    package static let publicProfile = PermissionName(stored: "public_profile")
    /// The friends of the user that use the same client app.
    package static let userFriends = PermissionName(stored: "user_friends")

    /// Orders by bytes, as the store does.
    package static func < (one: PermissionName, other: PermissionName) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
