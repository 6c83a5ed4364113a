package import Storage

// Swift compares texts by how they look: "é" as one character equals "é" as two. Stored values and
// keys are bytes, so the rules compare bytes.

extension String {
    /// Whether the two texts are the same bytes.
    package func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// Whether both texts are absent, or the same bytes.
    func isExactly(_ other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}

extension [String]? {
    /// Whether both lists are absent, or the same texts in the same order, byte by byte.
    func isExactly(_ other: [String]?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.isExactly(other)
    }
}

extension [String] {
    /// Whether the two lists are the same texts in the same order, byte by byte.
    package func isExactly(_ other: [String]) -> Bool {
        elementsEqual(other) { $0.isExactly($1) }
    }
}

extension Table {
    /// Whether the two records are stored as different bytes.
    package func differ(
        _ one: Record, _ other: Record, in transaction: any ReadTransaction
    ) throws(StorageError) -> Bool {
        try encode(one, in: transaction.arena) != encode(other, in: transaction.arena)
    }
}
