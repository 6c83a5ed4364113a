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
