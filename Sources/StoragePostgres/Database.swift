/// A database with what one process knows of it.
struct Database: Sendable {
    let options: PostgresOptions
    let meter = DatabaseMeter()
    let seen = SeenMoment()

    init(_ options: PostgresOptions) {
        self.options = options
    }
}
