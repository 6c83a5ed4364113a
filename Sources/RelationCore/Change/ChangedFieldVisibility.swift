package import Protobuf
package import RelationModel

/// The part of an event about a choice for one field of a profile.
///
/// Its fields are those of the contract's `FieldVisibility`, one by one.
package struct ChangedFieldVisibility: CodedMessage, Equatable {
    package var field = ""
    package var visibility: Visibility?
    package var groupNames: [String] = []

    package init() {}

    /// The choice without the names of its groups, which its row does not have.
    package init(_ choice: FieldChoiceRecord) {
        field = choice.path
        visibility = choice.visibility
    }

    package static let schema = Schema(
        "relation.store.ChangedFieldVisibility", ChangedFieldVisibility.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "field", &field)
        visitor.field(2, "visibility", &visibility)
        visitor.field(3, "group_names", &groupNames)
    }
}
