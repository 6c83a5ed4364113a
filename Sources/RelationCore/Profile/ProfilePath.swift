import RelationModel

/// The path of a field among the fields of a profile.
package struct ProfilePath: Comparable {
    private let number: UInt8
    private let path: String

    package init(_ path: String) {
        number = ProfileField(named: path)?.rawValue ?? .max
        self.path = path
    }

    /// Whether the path is that of a field, and not of the visibility of the whole.
    static func isOfField(_ path: String) -> Bool { !path.isExactly("visibility") }

    package static func < (one: ProfilePath, other: ProfilePath) -> Bool {
        guard one.number == other.number else { return one.number < other.number }
        return one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }
}

extension [FieldChoiceRecord] {
    /// The index of the field's row; nil if it has none.
    func index(of path: String) -> Int? {
        firstIndex { $0.path.isExactly(path) }
    }

    /// The rows with a present choice.
    package var chosen: [FieldChoiceRecord] { filter { $0.visibility != .notSet } }

    /// Sets the version of the field's last change.
    ///
    /// A field without a row gets one. The rows have the order of the profile's fields, and custom
    /// ones follow in the order of their keys.
    mutating func note(_ version: Int64, of path: String) {
        set(path) { $0.version = version }
    }

    package mutating func set(_ path: String, _ change: (inout FieldChoiceRecord) -> Void) {
        if let index = index(of: path) { return change(&self[index]) }
        var row = FieldChoiceRecord(path, .notSet)
        change(&row)
        let new = ProfilePath(path)
        insert(row, at: firstIndex { new < ProfilePath($0.path) } ?? count)
    }
}
