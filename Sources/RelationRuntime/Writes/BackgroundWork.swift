package import RelationCore

/// Work that no caller waits for.
///
/// It is done when no operation waits, and now and then when operations always wait.
package protocol BackgroundWork: AnyObject, Sendable {
    /// Changes a transaction of its own.
    func run(in transaction: any WriteTransaction) throws(StorageError)

    /// Learns that the change is durable, or why it is not; runs on the committer's thread.
    func finish(_ error: StorageError?)
}
