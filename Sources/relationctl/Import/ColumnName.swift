import ArgumentParser

/// The field that a column of a file fills, as `--columns` says it: `remark=note`.
struct ColumnName {
    let field: FriendColumn
    let fieldName: String
    let column: String

    /// Reads `user_id=from,friend_user_id=to`.
    ///
    /// - Throws: `ValidationError`, which names the part that is wrong.
    static func list(_ text: String) throws -> [ColumnName] {
        var names: [ColumnName] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw ValidationError("'\(part)' is not a name of a column: write FIELD=COLUMN")
            }
            let name = String(sides[0])
            guard let field = FriendColumn(name: name) else {
                throw ValidationError(
                    "FriendRow has no field \(name): \(FriendColumn.offer(for: name))")
            }
            guard !names.contains(where: { $0.field == field }) else {
                throw ValidationError("the field \(name) has two columns")
            }
            names.append(
                ColumnName(field: field, fieldName: name, column: String(sides[1])))
        }
        return names
    }
}
