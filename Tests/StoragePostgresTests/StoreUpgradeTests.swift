import PostgresSupport
import Storage
import StoragePostgres
import StorageSuite
import Testing

/// Rows of an older format in a database.
@Suite(.enabled(if: PostgresEngine.isThere)) struct StoreUpgradeTests {
    private static let ann = Partition("ann")
    private static let names = ["a", "b", "c", "d", "e"]

    private struct Stopped: Error {}

    /// A store of the format before this one, with rows that the step changes one by one.
    private func older() throws -> PostgresEngine {
        let engine = try PostgresEngine()
        let store = try engine.open()
        try store.put(Self.names.map { Row($0, "old") }, in: Self.ann)
        store.close()
        try engine.sql(
            """
            UPDATE relation_store SET value = '\(PostgresStore.format - 1)' WHERE name = 'format'
            """)
        return engine
    }

    /// Changes one row in each part, and fails at the part of that number.
    private func steps(failingAt number: Int = .max) -> [FormatStep] {
        [
            FormatStep(to: PostgresStore.format, touching: [Self.ann]) {
                (last, transaction) throws(StorageError) in
                let index = last.first.map { Int($0) + 1 } ?? 0
                guard index < Self.names.count else { return nil }
                transaction.set(Self.ann.key(Self.names[index]), "new")
                if index == number { throw StorageError(.failed, "killed here") }
                return [UInt8(index)]
            }
        ]
    }

    private func upgrade(_ engine: PostgresEngine, _ steps: [FormatStep]) throws -> [UpgradeNote] {
        var notes: [UpgradeNote] = []
        try StoreUpgrade(engine.options, steps) { notes.append($0) }.run()
        return notes
    }

    @Test func rowsOfTheFormatBeforeAreUpgradedOnce() throws {
        let engine = try older()
        #expect(throws: StorageError(.foreign, "")) { _ = try engine.open() }
        let notes = try upgrade(engine, steps())
        #expect(notes.last == .ended(format: PostgresStore.format) && notes.count == 7)
        let store = try engine.open()
        #expect(try store.rows(KeyRange(all: Self.ann)) == Self.names.map { Row($0, "new") })
        store.close()
        #expect(try upgrade(engine, steps(failingAt: 0)).isEmpty)
    }

    @Test(arguments: 0..<5)
    func anUpgradeThatBrokeIsNotServedAndGoesOn(_ part: Int) throws {
        let engine = try older()
        #expect(throws: StorageError(.failed, "")) { try upgrade(engine, steps(failingAt: part)) }
        #expect {
            _ = try engine.open()
        } throws: { error in
            (error as? StorageError)?.message.contains("on their way to another format") == true
        }
        // An older version looks at the format, and knows another one.
        let format = try engine.sql("SELECT value FROM relation_store WHERE name = 'format'")
        #expect(format == ["\(PostgresStore.format)"])
        _ = try upgrade(engine, steps())
        let store = try engine.open()
        #expect(try store.rows(KeyRange(all: Self.ann)) == Self.names.map { Row($0, "new") })
        store.close()
    }

    @Test func rowsThatServersHaveOpenAreNotUpgraded() throws {
        let engine = try older()
        try engine.sql(
            "INSERT INTO relation_server VALUES ('old', now() + interval '1 hour', 1, 1)")
        #expect(throws: StorageError(.locked, "")) { try upgrade(engine, steps()) }
        let format = try engine.sql("SELECT value FROM relation_store WHERE name = 'format'")
        #expect(format == ["\(PostgresStore.format - 1)"])
    }

    @Test func rowsThatNoStepBeginsAtAreLeftAlone() throws {
        let engine = try older()
        try engine.sql("UPDATE relation_store SET value = '1' WHERE name = 'format'")
        #expect(throws: StorageError(.foreign, "")) { try upgrade(engine, steps()) }
        #expect(try engine.sql("SELECT value FROM relation_store WHERE name = 'format'") == ["1"])
    }
}
