import Meters

extension MetricText {
    /// Adds how the databases of a fleet are; their number is bounded by the directory.
    mutating func addFleet(_ reading: FleetReading) {
        family(
            "relation_database_up", .gauge,
            "1 while this server serves the apps of a database of its fleet.")
        for database in reading.databases {
            sample(database.trouble == nil ? 1 : 0, ["database": database.name])
        }
        family("relation_database_apps", .gauge, "Apps that take calls, by their database.")
        for database in reading.databases { sample(database.apps, ["database": database.name]) }
        family(
            "relation_database_rows", .gauge,
            "Rows of a database of the fleet, as it estimates them.")
        for database in reading.databases {
            sample(UInt64(max(0, database.rows)), ["database": database.name])
        }
        family(
            "relation_directory_version", .gauge, "The version of the directory that is in use.")
        sample(Int(reading.version))
        family(
            "relation_directory_stale", .gauge,
            "1 while the directory of the fleet cannot be read, and an older reading is in use.")
        sample(reading.isStale ? 1 : 0)
    }
}
