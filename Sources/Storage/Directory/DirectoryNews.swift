/// The part of a directory that was changed after a version.
package struct DirectoryNews: Equatable, Sendable {
    /// The version that has all of it.
    package var version: Int64
    /// All databases beside home, in the order of their names.
    package var databases: [DirectoryDatabase]
    /// The places with a higher version than the one that was asked for.
    package var places: [AppPlace]

    package init(version: Int64, databases: [DirectoryDatabase], places: [AppPlace]) {
        self.version = version
        self.databases = databases
        self.places = places
    }
}
