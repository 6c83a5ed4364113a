/// The schemas of the two forms of a message that has rows.
///
/// They have the same fields, but other layouts. A generic type has no stored `static let`, so each
/// such message has one of these beside it.
@usableFromInline package struct FormSchemas: Sendable {
    @usableFromInline let plain: Schema
    @usableFromInline let encoded: Schema

    package init<Plain: CodedMessage, View: CodedMessage>(
        _ fullName: StaticString, _: Plain.Type, _: View.Type
    ) {
        plain = Schema(fullName, Plain.self)
        encoded = Schema(fullName, View.self)
    }

    /// The schema of the form whose rows are of type `Row`.
    @inlinable package func schema<Row: CodedRow>(_: Row.Type) -> Schema {
        Row.isEncoded ? encoded : plain
    }
}
