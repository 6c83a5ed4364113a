internal import Storage

/// The parts of the tables that statements need: a table, a column or a key that is missing.
///
/// They go when a user drops them, or when a dump was not restored as a whole. Without its key a
/// table takes rows twice, and without the table of writers no commit that broke can be settled.
enum SchemaParts {
    /// The columns that statements name, and the columns of the key by which rows are replaced.
    private static let needed: [(table: String, columns: [String], key: [String])] = [
        ("relation_kv", ["p bytea", "k bytea", "v bytea"], ["p", "k"]),
        ("relation_writer", ["id bytea", "batch int8", "began timestamptz"], ["id"]),
        (
            "relation_server",
            ["id text", "until timestamptz", "version int8", "renewal int8"], ["id"]
        ),
        ("relation_store", ["name text", "value text"], ["name"]),
        (
            "relation_note", ["k bytea", "n int8", "v bytea", "posted timestamptz"], ["k"]
        ),
    ]

    static let tables = needed.map(\.table)

    /// A line for each column and for each unique key that the database has.
    static var question: String {
        let tables = tables.map { "to_regclass('\($0)')" }.joined(separator: ", ")
        return "\(columns(of: tables)) UNION ALL \(keys(of: tables))"
    }

    private static func columns(of tables: String) -> String {
        """
        SELECT c.relname || ' ' || a.attname || ' ' || t.typname FROM pg_class c \
        JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid \
        WHERE c.oid IN (\(tables)) AND c.relkind IN ('r', 'p') AND a.attnum > 0 \
        AND NOT a.attisdropped
        """
    }

    private static func keys(of tables: String) -> String {
        """
        SELECT c.relname || ' key ' || (\(namesOfKey)) \
        FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
        WHERE c.oid IN (\(tables)) AND i.indisunique AND i.indisvalid AND i.indimmediate \
        AND i.indpred IS NULL AND i.indexprs IS NULL
        """
    }

    /// The names of the columns of the index `i` on the table `c`, in the order of the key.
    private static let namesOfKey = """
        SELECT string_agg(a.attname, ' ' ORDER BY q.n) \
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS q (number, n) \
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = q.number
        """

    /// The names of the parts that `found`, the answer to ``question``, lacks.
    static func missing(in found: [String]) -> [String] {
        let found = Set(found)
        return needed.flatMap { table, columns, key -> [String] in
            let lost = columns.filter { !found.contains("\(table) \($0)") }
            guard lost.count < columns.count else { return ["the table \(table)"] }
            var parts = lost.map { "the column \($0) of \(table)" }
            if !found.contains("\(table) key \(key.joined(separator: " "))") {
                parts.append("the primary key (\(key.joined(separator: ", "))) of \(table)")
            }
            return parts
        }
    }
}

extension Schema {
    /// Throws ``StorageError`` with the code `foreign` if a part of the tables is missing.
    static func checkParts(_ session: borrowing PostgresSession) throws(StorageError) {
        try checkParts(try session.run(SchemaParts.question))
    }

    static func checkParts(_ found: [String]) throws(StorageError) {
        let missing = SchemaParts.missing(in: found)
        guard !missing.isEmpty else { return }
        throw StorageError(
            .foreign,
            "the store is not whole, it lacks \(missing.joined(separator: " and "))")
    }
}
