/// A message that has a codec: `visit` names each field once, and every codec is a visitor.
///
/// ```swift
/// public struct Friend: CodedMessage {
///     public var userID = ""
///     public var remark: String?
///
///     public init() {}
///
///     @usableFromInline package static let schema = Schema("relation.v1.Friend", Self.self)
///
///     @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
///         visitor.field(1, "user_id", &userID)
///         visitor.field(2, "remark", &remark)
///     }
/// }
/// ```
///
/// The order of the visits is ascending by number. A `oneof` is visited at the number of its first
/// case; its other cases may have numbers above those of the fields that follow. If the order is
/// wrong, the first use of the schema traps. A message may contain itself, also through others. The
/// depth of such messages is checked when they are read or written.
///
/// Unlike ``Message`` it is not part of what a client of the package sees. A message may have views
/// (``Text``, ``Encoded``) only if the package keeps its type to itself.
@usableFromInline package protocol CodedMessage: Message {
    /// The message's name and fields, made at first use. Each conforming type has it as a `static
    /// let`, or gets it from one.
    static var schema: Schema { get }

    /// Shows every field to `visitor`, in ascending order of the numbers.
    ///
    /// A `oneof` stands at the number of its first case. It always visits the same fields; their
    /// contents are the visitor's business. A visitor that fails remembers the reason, and the
    /// function that started the visit throws.
    mutating func visit(_ visitor: inout some FieldVisitor)
}
