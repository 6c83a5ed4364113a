/// The owner in whose line a piece of work waits.
package struct WorkOwner: Hashable, Sendable {
    package let app: UInt32
    /// Whether it is part of an import.
    ///
    /// Imports have a line of their own beside the calls of their app. So neither waits for
    /// everything that the other has brought.
    package let isImport: Bool

    package init(app: UInt32, isImport: Bool = false) {
        self.app = app
        self.isImport = isImport
    }
}
