public import Protobuf

/// A message to the client of a call that writes the rows of a stream.
///
/// Each of these calls has a name for its own, such as ``ImportFriendsResponse``, which is the
/// message's name in the contract.
public struct ImportResponse<Row: Message, Result: Message>: Message {
    /// The row or the progress that the message reports.
    public var answer: Answer?

    @inlinable public init() {}

    /// The row or the progress that the message reports.
    public enum Answer: Hashable, Sendable {
        /// A row that was refused, or has a reason.
        case row(Result)
        /// How far the import has come.
        case progress(ImportProgress)
    }
}

extension ImportResponse.Answer: OneOf where Row: ImportedRow, Result: CodedMessage {
    @usableFromInline package static func visit(
        _ answer: inout Self?, _ cases: inout some OneOfVisitor
    ) {
        cases.field(
            1, "row", &answer,
            { if case .row(let row) = $0 { row } else { nil } }, Self.row)
        cases.field(
            2, "progress", &answer,
            { if case .progress(let progress) = $0 { progress } else { nil } }, Self.progress)
    }
}

extension ImportResponse: CodedMessage where Row: ImportedRow, Result: CodedMessage {
    @usableFromInline package static var schema: Schema { Row.responseSchema }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}
