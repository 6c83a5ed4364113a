internal import Storage

/// A database with what one process knows of it.
struct PostgresDatabase: Sendable {
    let options: PostgresOptions
    let meter = DatabaseMeter()
    let seen = HighWatermark()
    let primary = Primary()
    let lease: Lease

    init(_ options: PostgresOptions, lease: Lease = Lease()) {
        self.options = options
        self.lease = lease
    }
}
