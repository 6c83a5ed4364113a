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
