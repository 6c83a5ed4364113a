public import Memory

/// A value of a field that is not a message.
///
/// The closed list is this file, `Scalar+Bytes.swift`, ``ZigZag``, ``Fixed``, and the enums that
/// conform to ``OpenEnum``. A conforming type knows its slot, the bytes that libprotobuf-c reads
/// and writes. All slots are described here, so that only the types below touch their memory.
@usableFromInline package protocol Scalar: Sendable {
    static var kind: ScalarKind { get }
    /// The kind and, for an enum, its names.
    static var fieldType: FieldType { get }

    /// The value of an absent field.
    init()
    /// Whether the value is that of an absent field, bit by bit: minus zero is not.
    var isZero: Bool { get }

    /// Writes the value to its slot, which must be zero before.
    ///
    /// - Returns: An upper bound of the bytes on the wire without the tag; -1 if the arena is full.
    func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int
    static func load(from slot: UnsafeRawPointer) -> Self
    /// Whether the value has the same bytes in its slot and in Swift, so that a list of slots is
    /// copied as a whole.
    static var isItsSlot: Bool { get }

    /// The value for codecs that are not hot: JSON, tests.
    var scalarValue: ScalarValue { get }
    /// Returns nil if `value` is of another kind, or if the arena is full.
    static func make(_ value: ScalarValue, _ arena: Arena) -> Self?
}

extension Scalar {
    @usableFromInline package static var fieldType: FieldType { .scalar(kind) }
    @inlinable package static var isItsSlot: Bool { false }
}

/// A scalar that may be the key of a map: an integer, a truth value or a string.
@usableFromInline package protocol MapKey: Scalar, Hashable {
    /// The order in which a map's entries are written, so that a message has one encoding.
    static func precedes(_ one: Self, _ other: Self) -> Bool
}

extension MapKey where Self: Comparable {
    @inlinable package static func precedes(_ one: Self, _ other: Self) -> Bool { one < other }
}

extension Bool: MapKey {
    @inlinable package static var kind: ScalarKind { .bool }
    @inlinable package var isZero: Bool { !self }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: self ? 1 : 0, as: UInt64.self)
        return 1
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Bool {
        slot.load(as: UInt64.self) != 0
    }

    @usableFromInline package var scalarValue: ScalarValue { .bool(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Bool? {
        if case .bool(let value) = value { value } else { nil }
    }

    @inlinable package static func precedes(_ one: Bool, _ other: Bool) -> Bool { !one && other }
}

extension Int32: MapKey {
    @inlinable package static var kind: ScalarKind { .int32 }
    @inlinable package var isZero: Bool { self == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: self, as: Int32.self)
        return 10
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Int32 {
        slot.load(as: Int32.self)
    }

    @usableFromInline package var scalarValue: ScalarValue { .int32(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Int32? {
        if case .int32(let value) = value { value } else { nil }
    }
}

extension UInt32: MapKey {
    @inlinable package static var kind: ScalarKind { .uint32 }
    @inlinable package var isZero: Bool { self == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: self, as: UInt32.self)
        return 5
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> UInt32 {
        slot.load(as: UInt32.self)
    }

    @usableFromInline package var scalarValue: ScalarValue { .uint32(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> UInt32? {
        if case .uint32(let value) = value { value } else { nil }
    }
}

extension Int64: MapKey {
    @inlinable package static var kind: ScalarKind { .int64 }
    @inlinable package var isZero: Bool { self == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: self, as: Int64.self)
        return 10
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Int64 {
        slot.load(as: Int64.self)
    }

    @usableFromInline package var scalarValue: ScalarValue { .int64(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Int64? {
        if case .int64(let value) = value { value } else { nil }
    }
}

extension UInt64: MapKey {
    @inlinable package static var kind: ScalarKind { .uint64 }
    @inlinable package var isZero: Bool { self == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: self, as: UInt64.self)
        return 10
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> UInt64 {
        slot.load(as: UInt64.self)
    }

    @usableFromInline package var scalarValue: ScalarValue { .uint64(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> UInt64? {
        if case .uint64(let value) = value { value } else { nil }
    }
}

/// It is described to C as `fixed32`, for the same reason as `Double`.
extension Float: Scalar {
    @inlinable package static var kind: ScalarKind { .float }
    @inlinable package var isZero: Bool { bitPattern == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: bitPattern, as: UInt32.self)
        return 4
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Float {
        Float(bitPattern: slot.load(as: UInt32.self))
    }

    @usableFromInline package var scalarValue: ScalarValue { .float(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Float? {
        if case .float(let value) = value { value } else { nil }
    }
}

/// It is described to C as `fixed64`, which is the same on the wire. libprotobuf-c would treat the
/// minus zero of a `double` as absent, and the format does not.
extension Double: Scalar {
    @inlinable package static var kind: ScalarKind { .double }
    @inlinable package var isZero: Bool { bitPattern == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: bitPattern, as: UInt64.self)
        return 8
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Double {
        Double(bitPattern: slot.load(as: UInt64.self))
    }

    @usableFromInline package var scalarValue: ScalarValue { .double(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Double? {
        if case .double(let value) = value { value } else { nil }
    }
}
