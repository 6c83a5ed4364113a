/// One of several fields: a Swift enum with one payload a case.
///
/// ```swift
/// public enum Value: OneOf {
///     case text(String), number(UInt64)
///
///     public static func visit(_ value: inout Value?, _ cases: inout some OneOfVisitor) {
///         cases.field(
///             1, "text", &value, { if case .text(let x) = $0 { x } else { nil } }, Value.text)
///         cases.field(
///             2, "number", &value, { if case .number(let x) = $0 { x } else { nil } },
///             Value.number)
///     }
/// }
/// ```
@usableFromInline package protocol OneOf: Equatable, Sendable {
    /// Shows every case to `cases`, in ascending order of the numbers.
    static func visit(_ value: inout Self?, _ cases: inout some OneOfVisitor)
}

/// The visits of a codec to a case of a `oneof`.
@usableFromInline package protocol OneOfVisitor {
    /// A case with a number, a string, bytes or an enum: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O)

    /// A case with a message: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O)
}
