import RelationCore
import Storage

/// A change of rows that no rule makes, which a check finds.
struct Damage {
    /// The name that the check gives to what is wrong.
    let subject: String
    let make: (Ledger) throws(StorageError) -> Void

    init(_ subject: String, _ make: @escaping (Ledger) throws(StorageError) -> Void) {
        self.subject = subject
        self.make = make
    }
}
