/// The directory of a fleet, as its servers use it.
package protocol StoreDirectory: AnyObject, Sendable {
    /// The databases, and the places with a version above that one.
    func news(after version: Int64) throws(StorageError) -> DirectoryNews

    /// Gives a new app its number and its database.
    ///
    /// - Parameters:
    ///   - asked: The number; nil takes the next one that no app has. A number that has a database
    ///     keeps it.
    ///   - request: A text for the request that makes the app: the same one gets the same place
    ///     again for a day, at least, whatever else it asks for.
    ///   - name: The database for an app that has none.
    func allot(
        _ asked: UInt32?, for request: String?, in name: String
    ) throws(StorageError) -> AppPlace

    /// The place that a number or a request has already, as ``allot(_:for:in:)`` would give it; nil
    /// if that would make one.
    func known(_ asked: UInt32?, for request: String?) throws(StorageError) -> AppPlace?

    /// The process is about to end: nothing waits long for the directory from now on.
    func willClose()
}
