package import Storage
package import StorageSuite

/// A modelled database as an engine, which nothing takes time in, for processes with threads.
///
/// The suite of shared stores checks it beside the real one.
package final class ModelEngine: SharedEngine {
    package let name = "model of postgresql"
    private let time = MachineTime()
    private let model: PostgresModel
    private var count: UInt64 = 0

    package init() { model = PostgresModel(time) }

    package func open() throws(StorageError) -> any Store { try open(SharedOptions()) }

    package func open(_ options: SharedOptions) throws(StorageError) -> any Store {
        count += 1
        var own = ModelOptions()
        (own.readers, own.writers) = (options.readers, options.writers)
        own.snapshots = options.snapshots
        own.patienceMilliseconds = options.patienceMilliseconds
        return ModelStore(model, time, own, seed: count, lease: options.lease)
    }

    package func moveLeases(milliseconds: Int) { model.moveLeases(milliseconds: milliseconds) }

    package func renewLeasesElsewhere() { model.renewElsewhere() }

    package func endSessions() { model.endSessions() }

    package func loseNotes() { model.loseNotes() }

    package func takeLock(of partition: Partition) throws(StorageError) -> @Sendable () -> Void {
        guard let release = model.takeLock(of: partition.bytes) else {
            throw StorageError(.unavailable, "the lock is not free")
        }
        return release
    }

    package func beginRenewal() -> @Sendable (_ isCommitted: Bool) -> Void {
        model.beginRenewal()
    }

    package func waitingTransactions() -> Int { model.waitingTransactions }

    package func refuseCommits(_ isRefused: Bool) { model.refuseCommits(isRefused) }

    package func keepState() -> () throws(StorageError) -> Void {
        let backup = model.backup()
        return { [model] () throws(StorageError) in model.restore(backup) }
    }
}
