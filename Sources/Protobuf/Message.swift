/// A value with fields: `visit` names each of them once, and every codec is a visitor.
///
/// ```swift
/// public struct Friend: Message {
///     public var userID = ""
///     public var remark: String?
///
///     public init() {}
///     public static let schema = Schema("relation.v1.Friend", Friend.self)
///
///     public mutating func visit(_ visitor: inout some FieldVisitor) {
///         visitor.field(1, "user_id", &userID)
///         visitor.field(2, "remark", &remark)
///     }
/// }
/// ```
///
/// The order of the visits is ascending by number. A `oneof` is visited at the place of its first
/// case; its other cases may have numbers above those of the fields that follow. If the order is
/// wrong, the first use of the schema traps. A message may contain itself, also through others. The
/// depth of such messages is checked when they are read or written.
public protocol Message: Sendable, SendableMetatype {
    init()

    /// The message's name and fields, made at first use. Each conforming type has it as a `static
    /// let`.
    static var schema: Schema { get }

    /// Shows every field to `visitor`, in ascending order of the numbers.
    ///
    /// A `oneof` stands at the place of its first case. It always visits the same fields; their
    /// contents are the visitor's business. A visitor that fails remembers the reason, and the
    /// function that started the visit throws.
    mutating func visit(_ visitor: inout some FieldVisitor)
}

/// The visits of a codec: one overload for each line of the closed table of field types.
public protocol FieldVisitor {
    /// A field without presence: it is absent on the wire if it is zero or empty.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)

    /// A field of proto3 `optional`: present and zero differs from absent.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?)

    /// A `repeated` field, packed on the wire if its element is a number.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T])

    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout M?)

    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout [M])

    /// A message that stays as its bytes.
    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?)

    /// Messages that stay as their bytes: a page of stored records.
    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>])

    /// A `repeated` field of numbers that stand one by one on the wire: `[packed = false]`.
    mutating func unpacked<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T])

    /// A `map<K, T>`.
    ///
    /// Keys that are strings are Swift's, so two keys that Unicode treats as equal are one key.
    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T])

    /// A `map<K, M>`.
    mutating func field<K: MapKey, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M])

    /// A `oneof`: a Swift enum with payloads; its cases are visited at the place of the first one.
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?)

    /// The last visit of a message that must keep fields of newer writers: stored records.
    mutating func unknown(_ fields: inout UnknownFields)
}

extension FieldVisitor {
    /// Most visitors read both forms, so packed or not is the same to them.
    @inlinable
    public mutating func unpacked<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        field(number, name, &value)
    }
}

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
public protocol OneOf: Sendable {
    /// Shows every case to `cases`, in ascending order of the numbers.
    static func visit(_ value: inout Self?, _ cases: inout some OneOfVisitor)
}

/// The visits of a codec to a case of a `oneof`.
public protocol OneOfVisitor {
    /// A case with a number, a string, bytes or an enum: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O)

    /// A case with a message: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O)
}

/// The fields of a message that its schema does not know, as they came.
///
/// Only a message that visits such a field keeps them; all others drop unknown fields.
public struct UnknownFields: Hashable, Sendable {
    /// Whole records, tag and payload, one after another.
    public var bytes: [UInt8] = []

    public init() {}

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
