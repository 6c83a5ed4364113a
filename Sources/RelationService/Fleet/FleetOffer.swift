package import RelationAdmission
package import RelationCore
package import Storage

/// The parts of a fleet that a server is given: its directory, and how each database is served.
package struct FleetOffer: Sendable {
    package let directory: any StoreDirectory
    /// The apps that calls claim.
    package let claims: ClaimedApps
    /// Opens the store of a database; it may wait for it as long as for any connection.
    package let open: @Sendable (DirectoryDatabase) throws(StorageError) -> any Store
    /// The rows of a database, as it estimates them; nil stands for home.
    package let rows: @Sendable (DirectoryDatabase?) throws(StorageError) -> Int64
    /// The authenticator of the apps of a store beside home.
    package let authenticator: @Sendable (Apps) -> Authenticator
    /// The memory that answers reads of a store beside home.
    package let memory: @Sendable () -> ReadCache

    package init(
        directory: any StoreDirectory, claims: ClaimedApps,
        open: @escaping @Sendable (DirectoryDatabase) throws(StorageError) -> any Store,
        rows: @escaping @Sendable (DirectoryDatabase?) throws(StorageError) -> Int64,
        authenticator: @escaping @Sendable (Apps) -> Authenticator,
        memory: @escaping @Sendable () -> ReadCache
    ) {
        self.directory = directory
        self.claims = claims
        self.open = open
        self.rows = rows
        self.authenticator = authenticator
        self.memory = memory
    }
}
