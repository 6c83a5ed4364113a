import GRPC
package import Meters
import RPC
import RelationAdmission
import RelationChanges
import RelationCore
import RelationHooks
import RelationRuntime

// The numbers that the service reports about itself; any thread may ask.
extension RelationServer {
    /// Adds all that the service has counted.
    package func add(to text: inout MetricText) {
        let reading = server.reading()
        text.addCalls(of: reading)
        text.addApps(apps, reading.groups)
        text.addConnections(of: reading)
        text.addReasons(of: reading)
        text.addCommits(of: committer.reading())
        text.addReaders([
            ("scans", readers.scans.reading()), ("long", readers.long.reading()),
            ("misses", readers.misses.reading()),
        ])
        text.addCaches(committer.memory.readings)
        text.addWatch(changes.counts())
        text.add(store, backupSeconds: backupMinutes * 60)
        text.addHistories(apps.histories.reading)
        if let calls = apps.audit.calls.reading { text.addAudit(calls) }
        if let hooks {
            text.addHooks(hooks.reading())
            text.addHooks(asker.reading())
        }
        if let peerSync { text.addFeed(peerSync.feed.lags) }
        if let fleet {
            text.addFleet(fleet.reading())
            text.addFleet(fleet.loads)
        }
    }

    /// Why the service is not alive; nil if it is, as far as is known.
    package func hang() -> String? {
        // In a fleet the end of the process would be an outage of the other databases.
        guard fleet == nil else { return server.hang() }
        return server.hang() ?? committer.reading().hang(at: Deadline.clock)
    }

    /// Why the store that this server shares with others keeps it from taking calls; nil if it does
    /// not.
    package func storeError() -> String? {
        guard let reading = fleet?.reading() else { return peerSync?.trouble }
        return reading.isAllAway ? reading.away : nil
    }

    /// Which databases of a fleet are away, and why; nil if none is.
    package func awayDatabases() -> String? { fleet?.reading().away }

    /// Why writes are refused at present; nil if they are not.
    package func writeRefusal() -> String? { store.writeRefusal }

    /// A table of the slowest calls lately, the slowest first.
    package func slowCallTable() -> String {
        OperatorTables.slowCalls(server.slowCalls(), at: Deadline.clock)
    }

    /// Gives `body` a table of the connections, the busiest first, on a thread of any loop.
    package func connectionTable(_ body: @escaping @Sendable (String) -> Void) {
        server.connections { body(OperatorTables.connections($0, of: $1)) }
    }
}
