package import RelationModel

/// A permission for which a client app may ask a user, as the app defines it.
package struct Permission: Sendable, Equatable {
    package var name: PermissionName
    package var kind: PermissionKind
    package var access = PermissionAccess.read
    /// The fields of a profile that it opens, by their names in the contract.
    package var fields: [String] = []
    /// How long a grant lasts, in milliseconds; 0 means for ever.
    package var lifetimeMs: Int64 = 0

    package init(_ name: PermissionName, _ kind: PermissionKind, fields: [String] = []) {
        self.name = name
        self.kind = kind
        self.fields = fields
    }

    /// The permissions that every app has without defining them.
    package static let builtIn: [Permission] = [
        Permission(.publicProfile, .basic, fields: basicFields),
        Permission(PermissionName(stored: "email"), .email, fields: ["email"]),
        Permission(
            PermissionName(stored: "user_birthday"), .extendedProfile,
            fields: ["birthday", "birthday_text"]),
        Permission(
            PermissionName(stored: "user_location"), .extendedProfile,
            fields: ["location", "location_text"]),
        Permission(.userFriends, .basic),
    ]

    /// The fields that the public profile opens.
    ///
    /// They are Facebook's nine basic fields except the id, which is always there, and Facebook's
    /// picture. They are also the fields that other systems call name and portrait, which every
    /// user sees of every other.
    private static let basicFields = [
        "name", "first_name", "middle_name", "last_name", "link", "username", "gender", "locale",
        "age_range",
        "picture_url", "nick", "face_url",
    ]
}

/// A program of a third party that users of the app may let read their fields.
package struct ClientApp: Sendable, Equatable {
    package var id: ClientAppID
    /// The name under which users know it.
    package var name: String

    package init(id: ClientAppID, name: String) {
        self.id = id
        self.name = name
    }
}

extension AppSettings {
    package func clientApp(_ id: ClientAppID) -> ClientApp? {
        clientApps.first { $0.id == id }
    }

    /// The permission of that name: the app's definition if there is one, else the built-in one.
    package func permission(_ name: PermissionName) -> Permission? {
        permissions.first { $0.name == name } ?? Permission.builtIn.first { $0.name == name }
    }

    /// Every permission, in the order of the bytes of the names.
    package var allPermissions: [Permission] {
        let untouched = Permission.builtIn.filter { builtIn in
            !permissions.contains { $0.name == builtIn.name }
        }
        return (permissions + untouched).sorted { $0.name < $1.name }
    }
}
