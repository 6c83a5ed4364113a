package import Memory
import Storage

extension Ledger {
    /// The memory of the write, which ends with it.
    package var arena: Arena { transaction.arena }

    /// Marks the present state of the rows, so that ``rollback(to:)`` can return to it.
    package func savepoint() -> Savepoint { transaction.savepoint() }

    /// Undoes every change of a row since `savepoint`.
    ///
    /// The ledger keeps the events and the user records that it has collected, so the write goes on
    /// with another ledger.
    package func rollback(to savepoint: Savepoint) {
        transaction.rollback(to: savepoint)
    }
}
