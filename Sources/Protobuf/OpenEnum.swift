/// A proto3 enum: a number with names for some of its values.
///
/// It is a struct and not a Swift enum, because a value that a newer peer sends must survive:
///
/// ```swift
/// public struct Gender: OpenEnum {
///     public let rawValue: Int32
///     public init(rawValue: Int32) { self.rawValue = rawValue }
///     public static let unspecified = Gender(rawValue: 0)
///     public static let schema = EnumSchema(
///         "relation.v1.Gender", [(0, "GENDER_UNSPECIFIED")])
/// }
/// ```
public protocol OpenEnum: Scalar, RawRepresentable, Hashable, SendableMetatype
where RawValue == Int32 {
    /// Never fails: an unknown number is a value.
    init(rawValue: Int32)

    static var schema: EnumSchema { get }
}

extension OpenEnum {
    @inlinable public init() { self.init(rawValue: 0) }

    @inlinable public static var kind: ScalarKind { .enumeration }
    public static var fieldType: FieldType { .enumeration(schema) }
    @inlinable public var isZero: Bool { rawValue == 0 }

    /// Whether the contract names this value.
    public var isKnown: Bool { Self.schema.name(of: rawValue) != nil }

    /// The contract's name of this value; nil if the contract does not know it.
    public var name: String? { Self.schema.name(of: rawValue) }

    @inlinable public func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: rawValue, as: Int32.self)
        return 10
    }

    @inlinable public static func load(from slot: UnsafeRawPointer) -> Self {
        Self(rawValue: slot.load(as: Int32.self))
    }

    public var scalarValue: ScalarValue { .enumeration(rawValue) }

    public static func make(_ value: ScalarValue, _ arena: Arena) -> Self? {
        if case .enumeration(let value) = value { Self(rawValue: value) } else { nil }
    }
}
