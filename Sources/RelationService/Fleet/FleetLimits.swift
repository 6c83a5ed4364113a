/// The times and sizes of a fleet.
package enum FleetLimits {
    /// How often the directory is read, if nothing says that it has changed.
    package static let readMilliseconds = 100
    /// How old the reading may be by which a call is refused whose app is not known anywhere.
    ///
    /// An app is made so much later than it has its place. So a server that does not know the app
    /// then has an older reading, and asks its caller to try again.
    package static let freshMilliseconds = 250
    /// How often the health of the databases is looked at.
    static let healthMilliseconds = 250
    /// The pause before a database that could not be opened is tried again.
    static let openAgainMilliseconds = 2_000
    /// How often the rows of a database are estimated.
    static let countMilliseconds = 60_000
    /// Calls that make apps and wait for their place in the directory; beyond it they are refused.
    package static let waitingPlaces = 64
}
