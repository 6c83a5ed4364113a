package import RelationCore

/// The time of a credential's last use, on its way into the store.
package struct CredentialUse: Sendable {
    /// The app of the credential; 0 for an operator's key.
    package let app: UInt32
    package let id: CredentialID
    /// In milliseconds since 1970.
    package let milliseconds: Int64
    private let use: LastUse

    init(_ app: UInt32, _ id: CredentialID, _ use: LastUse, _ milliseconds: Int64) {
        self.app = app
        self.id = id
        self.use = use
        self.milliseconds = milliseconds
    }

    /// Learns that the store has it.
    package func didStore() { use.didStore(milliseconds) }
}
