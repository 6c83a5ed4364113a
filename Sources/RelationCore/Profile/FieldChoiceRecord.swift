package import Protobuf
package import RelationModel

/// The users for whom one field of a profile is, by its user's choice, and the version of its last
/// change.
///
/// A field whose choice was taken back keeps its row, because the version still counts.
package struct FieldChoiceRecord: CodedMessage, Equatable {
    /// The name of the field, or `custom.` with its key.
    package var path = ""
    package var visibility = Visibility.notSet
    /// The numbers of the user's friend groups, with ``RelationModel/Visibility/groups``.
    ///
    /// A group has its number for ever, whatever its name, and no later group gets it.
    package var groups: [UInt32] = []
    /// The version of the profile after the last change of the field, or of this choice.
    package var version: Int64 = 0
    /// The choice before the last one.
    package var formerVisibility = Visibility.notSet
    package var formerGroups: [UInt32] = []

    package init() {}

    package init(_ path: String, _ visibility: Visibility, _ groups: [UInt32] = []) {
        self.path = path
        self.visibility = visibility
        self.groups = groups
    }

    package static let schema = Schema("relation.store.FieldChoice", FieldChoiceRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "path", &path)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "groups", &groups)
        visitor.field(4, "version", &version)
        visitor.field(5, "former_visibility", &formerVisibility)
        visitor.field(6, "former_groups", &formerGroups)
    }

    /// The choice before the last one, in the place of the present one.
    package var former: FieldChoiceRecord {
        FieldChoiceRecord(path, formerVisibility, formerGroups)
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
        let place = ProfilePath(path)
        insert(row, at: firstIndex { place < ProfilePath($0.path) } ?? count)
    }
}

/// The place of a field among the fields of a profile.
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
