package import Protobuf

/// The answer to a request id, kept so that the same request gets the same answer again.
package struct AnswerRecord: CodedMessage, Equatable {
    package var timeMs: Int64 = 0
    /// A digest of the method and the request's bytes: a different request under the same id is
    /// refused.
    package var digest: [UInt8] = []
    package var response: [UInt8] = []

    package init() {}

    package static let schema = Schema("relation.store.Answer", AnswerRecord.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "time_ms", &timeMs)
        visitor.field(2, "digest", &digest)
        visitor.field(3, "response", &response)
    }
}
