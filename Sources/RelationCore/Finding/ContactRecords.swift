package import Protobuf
package import RelationModel

/// The users that have one digest, in the order of the bytes of their ids: at most
/// ``Limits/contactOwners``.
package struct ContactOwnersRecord: CodedMessage, Equatable {
    package var userIDs: [String] = []

    package init() {}

    package static let schema = Schema("relation.store.ContactOwners", ContactOwnersRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "user_ids", &userIDs)
    }
}

/// The digests of one user, each kind in the order of the bytes, none twice.
package struct ContactDigestsRecord: CodedMessage, Equatable, Sendable {
    package var phones: [[UInt8]] = []
    package var emails: [[UInt8]] = []

    package init() {}

    package static let schema = Schema("relation.store.ContactDigests", ContactDigestsRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "phones", &phones)
        visitor.field(2, "emails", &emails)
    }

    package var isEmpty: Bool { phones.isEmpty && emails.isEmpty }

    /// All of them, with their kinds.
    package var all: [ContactDigest] {
        phones.map { ContactDigest(.phone, $0) } + emails.map { ContactDigest(.email, $0) }
    }

    /// Takes these for all digests of the kind.
    package mutating func set(_ digests: [[UInt8]], of kind: ContactKind) {
        let sorted = Set(digests).sorted { $0.lexicographicallyPrecedes($1) }
        if kind == .phone { phones = sorted } else { emails = sorted }
    }
}
