package import Protobuf

/// The record of a row whose key says everything.
package struct EmptyRecord: CodedMessage, Equatable {
    package init() {}

    package static let schema = Schema("relation.store.Nothing", EmptyRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {}
}
