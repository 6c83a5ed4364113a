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
/// The order of the visits is ascending by number; a `oneof` is visited where its first case
/// stands, and its other cases may have numbers beyond those of the fields that follow. The first
/// use of a schema traps otherwise. A message may contain itself, also through others: how deep
/// messages may nest is then asked of each that is read or written.
public protocol Message: Sendable, SendableMetatype {
    init()

    /// The message's name and fields, made at first use; a `static let` in every conforming type.
    static var schema: Schema { get }

    /// Shows every field to `visitor`, in ascending order of the numbers; a `oneof` where its first
    /// case stands.
    ///
    /// It always visits the same fields: what a field holds is the visitor's matter. A visitor that
    /// fails remembers why, and the function that started the visit throws.
    mutating func visit(_ visitor: inout some FieldVisitor)
}

/// What a codec does with a field: one overload for each line of the closed table of field types.
public protocol FieldVisitor {
    /// A field without presence: absent on the wire while it is zero or empty.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)

    /// A field of proto3 `optional`: present and zero is not absent.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?)

    /// A `repeated` field, packed on the wire where the element is a number.
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
    /// Keys that are strings are Swift's, and so two that Unicode holds for equal are one key.
    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T])

    /// A `map<K, M>`.
    mutating func field<K: MapKey, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M])

    /// A `oneof`: a Swift enum with payloads, whose cases are visited where the first one stands.
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?)

    /// The last line of a message that must keep what newer writers added: stored records.
    mutating func unknown(_ fields: inout UnknownFields)
}

extension FieldVisitor {
    /// To most visitors, who read both, packed or not is the same.
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

/// What a codec does with a case of a `oneof`.
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
/// Only a message that visits one keeps them; all others drop what they do not know.
public struct UnknownFields: Hashable, Sendable {
    /// Whole records, tag and payload, one after another.
    public var bytes: [UInt8] = []

    public init() {}

    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
