import Protobuf

/// The users whom a request names, each of whom is looked up in some rows.
///
/// The rows of a user are those that the rule looks up: accounts, both directions of a relation,
/// profiles.
package struct NamedUsers: Sendable {
    let field: RepeatedField
    /// The rows of each, at least.
    let rows: Int

    init(_ schema: Schema, rows: Int) {
        field = RepeatedField(schema, "user_ids")
        self.rows = rows
    }
}
