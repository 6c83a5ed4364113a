package import RelationModel

/// A user of one app.
package struct AppUser: Hashable, Sendable {
    package let app: UInt32
    package let user: UserID

    package init(app: UInt32, user: UserID) {
        self.app = app
        self.user = user
    }
}
