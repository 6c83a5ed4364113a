/// The bounds of the directory of a fleet.
package enum DirectoryLimits {
    /// Databases that a directory may name beside its home.
    package static let databases = 200
    package static let nameBytes = 32
    /// The rows that a new app counts for in the choice of its database; see ``DatabaseChoice``.
    package static let rowsOfNewApp: Int64 = 10_000
}
