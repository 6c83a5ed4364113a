public import Memory

/// The form that a message has for its rows: a message, or the bytes of one.
///
/// `ListFriendsResponseForm<Friend>` is the page that a client reads. In the service, the page has
/// `Encoded<Friend>`: rows go from the store to the wire as they are. Both are described by the
/// same lines, and only the visits below differ.
@usableFromInline package protocol CodedRow: Message {
    /// Whether the row is kept as its bytes.
    static var isEncoded: Bool { get }

    /// Visits a field that holds one row.
    static func visit(
        _ number: UInt32, _ name: StaticString, _ row: inout Self?,
        _ visitor: inout some FieldVisitor)

    /// Visits a `repeated` field of rows.
    static func visit(
        _ number: UInt32, _ name: StaticString, _ rows: inout [Self],
        _ visitor: inout some FieldVisitor)
}

extension CodedRow where Self: CodedMessage {
    @inlinable package static var isEncoded: Bool { false }

    @inlinable package static func visit(
        _ number: UInt32, _ name: StaticString, _ row: inout Self?,
        _ visitor: inout some FieldVisitor
    ) {
        visitor.field(number, name, &row)
    }

    @inlinable package static func visit(
        _ number: UInt32, _ name: StaticString, _ rows: inout [Self],
        _ visitor: inout some FieldVisitor
    ) {
        visitor.field(number, name, &rows)
    }
}

extension Encoded: CodedRow {
    @inlinable package init() {
        text = Text()
    }

    @inlinable package static var isEncoded: Bool { true }

    @inlinable package static func visit(
        _ number: UInt32, _ name: StaticString, _ row: inout Self?,
        _ visitor: inout some FieldVisitor
    ) {
        visitor.field(number, name, &row)
    }

    @inlinable package static func visit(
        _ number: UInt32, _ name: StaticString, _ rows: inout [Self],
        _ visitor: inout some FieldVisitor
    ) {
        visitor.field(number, name, &rows)
    }
}
