package import RelationModel

extension [CustomValue] {
    /// These values, with `changes` in place of those of the same keys; a change without a value
    /// removes its key.
    package func changed(by changes: [CustomValue]) -> [CustomValue] {
        guard !changes.isEmpty else { return self }
        var kept = filter { old in !changes.contains { $0.key.isExactly(old.key) } }
        kept += changes.filter { $0.value != nil }
        return kept.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// The values as texts, in which words are searched: a byte that belongs to no text hides no
    /// word.
    package var texts: [String] {
        compactMap { custom in
            guard case .data(let bytes) = custom.value else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
