import Meters
import RelationHooks
import RelationRuntime

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

    /// Adds what the server does for each of them, home included.
    mutating func addFleet(_ loads: [FleetLoad]) {
        family(
            "relation_database_commits_total", .counter,
            "Transactions of writes that callers made, by their database.")
        for load in loads { sample(load.commits.transactions, ["database": load.name]) }
        family(
            "relation_database_failed_commits_total", .counter,
            "Transactions that wrote nothing, by their database.")
        for load in loads { sample(load.commits.failed, ["database": load.name]) }
        family(
            "relation_database_waiting_operations", .gauge,
            "Operations of writes that wait for a transaction, or are in one, by their database.")
        for load in loads { sample(load.commits.waitingOperations, ["database": load.name]) }
        family(
            "relation_database_pool_used", .gauge,
            "Connections in use, by their database and their kind.")
        for load in loads {
            for pool in load.pools {
                sample(pool.used, ["database": load.name, "pool": pool.name])
            }
        }
        family(
            "relation_database_pool_max", .gauge,
            "Connections that may be in use, by their database and their kind.")
        for load in loads {
            for pool in load.pools {
                sample(pool.most, ["database": load.name, "pool": pool.name])
            }
        }
        addHooks(of: loads)
    }

    private mutating func addHooks(of loads: [FleetLoad]) {
        guard loads.contains(where: { $0.hooks != nil }) else { return }
        family(
            "relation_database_hook_requests_total", .counter,
            "Requests to receivers of hooks that have ended, by their database and result.")
        for load in loads {
            guard let hooks = load.hooks else { continue }
            sample(hooks.delivered, ["database": load.name, "result": "delivered"])
            sample(hooks.failed, ["database": load.name, "result": "failed"])
        }
        family(
            "relation_database_hook_waiting_events", .gauge,
            "Events in memory that wait for receivers of hooks, by their database.")
        for load in loads {
            guard let hooks = load.hooks else { continue }
            sample(hooks.waitingEvents, ["database": load.name])
        }
    }
}
