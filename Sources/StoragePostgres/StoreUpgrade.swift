package import Storage

/// The way of a database from an older format of the rows to that of this program.
///
/// 1. The tables say the new format, so that no older program opens them, and that the rows are on
///    their way.
/// 2. The steps run, each part in a transaction of its own.
/// 3. The tables say that the rows have come.
///
/// A process that ends in the midst of it goes on when it is run again. The backup is the
/// operator's: the server makes none of a database.
package struct StoreUpgrade {
    private let options: PostgresOptions
    private let steps: [FormatStep]
    private let notify: (UpgradeNote) -> Void

    /// - Parameter steps: The steps that this program knows, in their order.
    package init(
        _ options: PostgresOptions, _ steps: [FormatStep], _ notify: @escaping (UpgradeNote) -> Void
    ) {
        self.options = options
        self.steps = steps
        self.notify = notify
    }

    /// Upgrades the rows, if they have an older format.
    ///
    /// - Throws: ``StorageError`` with the code `foreign`: no step begins at their format;
    ///   `locked`: servers have the store open.
    package func run() throws(StorageError) {
        guard let from = try begin() else { return }
        let store = try PostgresStore(options, for: .upgrading)
        defer { store.close() }
        for step in steps where step.number > from {
            try step.run(in: store, notify)
            try note("UPDATE relation_store SET value = '\(step.number)' WHERE name = 'upgrading'")
        }
        try note("DELETE FROM relation_store WHERE name = 'upgrading'")
        notify(.ended(format: PostgresStore.format))
    }

    /// - Returns: The format that the rows have; nil if it is the present one.
    private func begin() throws(StorageError) -> Int? {
        let session = try PostgresSession(options)
        try session.beginAlone()
        let from: Int
        switch try Schema.state(session) {
        case .upgrading(let format): from = format
        case .store(let format) where format < PostgresStore.format: from = format
        case .none, .older, .store: return nil
        }
        let first = steps.first?.number ?? .max
        guard from + 1 >= first else {
            throw StorageError(
                .foreign,
                "the rows have the format \(from), and this version upgrades from the format "
                    + "\(first - 1) on; take the versions between, one after another")
        }
        let servers = try Schema.servers(session)
        guard servers == 0 else {
            throw StorageError(
                .locked, "\(servers) servers have rows of the format \(from) open; stop them first")
        }
        try session.run(
            """
            INSERT INTO relation_store VALUES ('format', '\(PostgresStore.format)'), \
            ('upgrading', '\(from)') ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """)
        try session.run("COMMIT")
        return from
    }

    private func note(_ sql: String) throws(StorageError) {
        try PostgresSession(options).run(sql)
    }
}
