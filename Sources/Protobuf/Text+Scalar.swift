public import Memory

// The scalars that are bytes. Strings are described to C as `bytes`, which is the same on the wire,
// because libprotobuf-c cuts a `string` at the first NUL. Their slot is C's `ProtobufCBinaryData`,
// a count and an address; an empty one has no address.

extension Text: Scalar {
    @inlinable package static var kind: ScalarKind { .string }
    @inlinable package var isZero: Bool { count == 0 }
    @inlinable package static var isItsSlot: Bool { true }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        slot.storeBytes(of: count, as: Int.self)
        slot.storeBytes(of: start, toByteOffset: 8, as: UnsafePointer<UInt8>?.self)
        return count &+ 5
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> Text {
        Text(
            start: slot.load(fromByteOffset: 8, as: UnsafePointer<UInt8>?.self),
            count: slot.load(as: Int.self))
    }

    @usableFromInline package var scalarValue: ScalarValue { .string(String(self)) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> Text? {
        if case .string(let value) = value { arena.text(value) } else { nil }
    }
}

extension String: MapKey {
    @inlinable package static var kind: ScalarKind { .string }
    @inlinable package var isZero: Bool { isEmpty }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        guard let text = arena.text(self) else { return -1 }
        return text.store(at: slot, arena)
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> String {
        String(Text.load(from: slot))
    }

    @usableFromInline package var scalarValue: ScalarValue { .string(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> String? {
        if case .string(let value) = value { value } else { nil }
    }

    /// The order of bytes, which is the order of code points.
    @inlinable package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Array: Scalar where Element == UInt8 {
    @inlinable package static var kind: ScalarKind { .bytes }
    @inlinable package var isZero: Bool { isEmpty }

    @inlinable package func store(at slot: UnsafeMutableRawPointer, _ arena: Arena) -> Int {
        guard let copy = withUnsafeBytes({ arena.copy($0) }) else { return -1 }
        let start = copy.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return Text(start: start, count: copy.count).store(at: slot, arena)
    }

    @inlinable package static func load(from slot: UnsafeRawPointer) -> [UInt8] {
        Text.load(from: slot).withBytes { [UInt8]($0) }
    }

    @usableFromInline package var scalarValue: ScalarValue { .bytes(self) }

    @usableFromInline package static func make(_ value: ScalarValue, _ arena: Arena) -> [UInt8]? {
        if case .bytes(let value) = value { value } else { nil }
    }
}
