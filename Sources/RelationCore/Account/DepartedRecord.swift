package import Protobuf

/// The remainder of a deleted account: how far its sequence and its profile's version had come.
///
/// A user that is made again under the id goes on from there, so that no client takes old rows for
/// new ones.
package struct DepartedRecord: CodedMessage, Equatable {
    /// The user record that the next account of the id begins with.
    package var userRecord: UserRecord?
    package var profileVersion: Int64 = 0
    /// The number of the deletion while it runs, 0 afterwards.
    package var deletion: UInt64 = 0

    package init() {}

    package static let schema = Schema("relation.store.Departed", DepartedRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "head", &userRecord)
        visitor.field(2, "profile_version", &profileVersion)
        visitor.field(3, "deletion", &deletion)
    }
}
