import StoragePostgres

/// Where the rows are: in a folder of this machine, or in a database.
enum StoreKind: Sendable, Equatable {
    case folder(String)
    /// The address of a database, without a password.
    case database(String)

    /// The store that a text names; nil if it names none.
    ///
    /// - Parameter text: `rocks:FOLDER`, or a URL of PostgreSQL.
    init?(_ text: String) {
        // A key or a certificate that was put here by mistake has lines.
        guard !text.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        if text.hasPrefix(Self.rocks) {
            let folder = String(text.dropFirst(Self.rocks.count))
            guard !folder.isEmpty else { return nil }
            self = .folder(folder)
        } else if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            guard PostgresOptions.isAddress(text) else { return nil }
            self = .database(text)
        } else {
            return nil
        }
    }

    private static let rocks = "rocks:"
}

extension StoreKind: CustomStringConvertible {
    var description: String {
        switch self {
        case .folder(let path): "the data folder \(path)"
        case .database(let address): "the database \(address)"
        }
    }
}
