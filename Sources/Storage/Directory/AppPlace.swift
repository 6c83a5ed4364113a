/// The database in which an app lives, as the directory says it.
package struct AppPlace: Equatable, Sendable {
    package let app: UInt32
    /// The name of the database; ``DirectoryDatabase/home`` for the one that has the directory.
    package let database: String
    /// The database to which it is being moved; nil if it stays.
    package let movingTo: String?
    /// The version of the directory that has this; 0 for an app without a row, which lives at home.
    package let version: Int64

    package init(app: UInt32, database: String, movingTo: String? = nil, version: Int64) {
        self.app = app
        self.database = database
        self.movingTo = movingTo
        self.version = version
    }

    /// The place of an app without a row.
    package static func home(of app: UInt32) -> AppPlace {
        AppPlace(app: app, database: DirectoryDatabase.home, version: 0)
    }
}
