/// A state of a write transaction: how many changes it had made.
@usableFromInline package struct Savepoint: Sendable {
    package let changes: Int

    package init(changes: Int) {
        self.changes = changes
    }
}
