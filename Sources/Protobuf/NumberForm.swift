public import Memory

/// A number whose form on the wire is not the usual one of its Swift type.
@usableFromInline package protocol NumberForm: MapKey, ExpressibleByIntegerLiteral {
    associatedtype Number: Scalar & FixedWidthInteger

    var value: Number { get set }
    init(_ value: Number)
}

/// C's struct holds the plain number; only the descriptor says how it is written.
extension NumberForm {
    @inlinable package init() { self.init(0) }

    @inlinable package init(integerLiteral value: Number.IntegerLiteralType) {
        self.init(Number(integerLiteral: value))
    }

    @inlinable package var isZero: Bool { value == 0 }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        value.store(at: slot, arena)
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Self {
        Self(Number.load(from: slot))
    }

    @usableFromInline package var scalarValue: ScalarValue { value.scalarValue }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Self? {
        Number.make(value, arena).map { Self($0) }
    }

    @inlinable package static func precedes(_ one: Self, _ other: Self) -> Bool {
        one.value < other.value
    }
}

/// A `sint32` or `sint64`: short on the wire, even for negative numbers.
@usableFromInline package struct ZigZag<Number: ZigZagNumber>: NumberForm {
    @usableFromInline package var value: Number

    @inlinable package init(_ value: Number) { self.value = value }

    @inlinable package static var kind: ScalarKind { Number.zigZagKind }
}

/// The types of ``ZigZag``: `Int32` and `Int64`.
@usableFromInline package protocol ZigZagNumber: Scalar, FixedWidthInteger, SignedInteger {
    static var zigZagKind: ScalarKind { get }
}

extension Int32: ZigZagNumber {
    @inlinable package static var zigZagKind: ScalarKind { .sint32 }
}

extension Int64: ZigZagNumber {
    @inlinable package static var zigZagKind: ScalarKind { .sint64 }
}

/// A `fixed32`, `fixed64`, `sfixed32` or `sfixed64`: always of the same length on the wire.
@usableFromInline package struct Fixed<Number: FixedNumber>: NumberForm {
    @usableFromInline package var value: Number

    @inlinable package init(_ value: Number) { self.value = value }

    @inlinable package static var kind: ScalarKind { Number.fixedKind }
}

/// The types of ``Fixed``: integers of 32 and of 64 bits.
@usableFromInline package protocol FixedNumber: Scalar, FixedWidthInteger {
    static var fixedKind: ScalarKind { get }
}

extension UInt32: FixedNumber {
    @inlinable package static var fixedKind: ScalarKind { .fixed32 }
}

extension UInt64: FixedNumber {
    @inlinable package static var fixedKind: ScalarKind { .fixed64 }
}

extension Int32: FixedNumber {
    @inlinable package static var fixedKind: ScalarKind { .sfixed32 }
}

extension Int64: FixedNumber {
    @inlinable package static var fixedKind: ScalarKind { .sfixed64 }
}
