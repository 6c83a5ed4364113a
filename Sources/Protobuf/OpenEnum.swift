public import Memory

/// An enum of the contract: a number with names for some of its values.
///
/// It is a struct and not a Swift enum, because a value that a newer server sends must survive:
/// such a value has ``isKnown`` false. So a `switch` over values has a `default`.
public protocol OpenEnum: RawRepresentable, Hashable, Codable, Sendable, SendableMetatype,
    CustomStringConvertible
where RawValue == Int32 {
    /// Creates the value of a number, which the contract need not know.
    init(rawValue: Int32)

    /// The names that the contract has for the enum and its values.
    static var schema: EnumSchema { get }
}

extension OpenEnum {
    /// Creates the value 0.
    @inlinable public init() { self.init(rawValue: 0) }

    /// Whether the contract names this value.
    public var isKnown: Bool { Self.schema.names(rawValue) }

    /// The contract's name of this value, such as `FRIEND_STATUS_SUCC`; nil if the contract does
    /// not know it.
    public var name: String? { Self.schema.name(of: rawValue) }

    /// The value as code writes it: `.success`, or `FriendStatus(rawValue: 4711)` for a number that
    /// the contract does not know.
    public var description: String {
        Self.schema.swiftName(of: rawValue) ?? "\(Self.self)(rawValue: \(rawValue))"
    }
}

/// The codec's side of an enum: it is a number of 32 bits.
extension Scalar where Self: OpenEnum {
    @inlinable package static var kind: ScalarKind { .enumeration }
    @usableFromInline package static var fieldType: FieldType { .enumeration(schema) }
    @inlinable package var isZero: Bool { rawValue == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: rawValue, as: Int32.self)
        return 10
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Self {
        Self(rawValue: slot.load(as: Int32.self))
    }

    @usableFromInline package var scalarValue: ScalarValue { .enumeration(rawValue) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Self? {
        if case .enumeration(let value) = value { Self(rawValue: value) } else { nil }
    }
}
