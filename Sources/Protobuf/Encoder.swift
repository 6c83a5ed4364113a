public import Memory

/// The visitor that fills the C struct of a message.
///
/// It only reads the message. Where `visit` asks for `inout`, it shows elements in place, through
/// pointers that were made mutable. To pass the array's own element would make the array unique,
/// which would copy the whole array at each encoding.
@usableFromInline package struct Encoder: FieldVisitor, OneOfVisitor {
    /// The struct to fill; it is zero but for its descriptor.
    @usableFromInline var base: UnsafeMutableRawPointer
    /// The slot of the field that is visited next.
    @usableFromInline var slot: UnsafePointer<FieldOffsets>
    @usableFromInline let arena: Arena
    /// An upper bound of the bytes that packing writes.
    @usableFromInline var bound = 0
    @usableFromInline var isOutOfMemory = false
    /// How many more messages may stand inside one another.
    @usableFromInline var levels = CodecLimits.messageDepth
    @usableFromInline var isTooDeep = false

    /// The bound of a tag and a length: five bytes at most for each.
    @usableFromInline static let prefixBound = 10

    @inlinable init(
        base: UnsafeMutableRawPointer, slot: UnsafePointer<FieldOffsets>, arena: Arena
    ) {
        self.base = base
        self.slot = slot
        self.arena = arena
    }

    @inlinable @inline(__always) mutating func next() -> FieldOffsets {
        defer { slot += 1 }
        return slot.pointee
    }

    @inlinable @inline(__always) mutating func add(_ count: Int) {
        if count < 0 { isOutOfMemory = true } else { bound &+= count &+ 5 }
    }

    /// Memory for `count` structs of `layout`, one level below the struct that is being filled.
    ///
    /// Nil if there is no memory, or if messages nest too deep; the encoder remembers this.
    @inlinable mutating func structs(
        _ count: Int, _ layout: UnsafePointer<Layout>
    ) -> UnsafeMutableRawPointer? {
        guard levels > 0 else {
            isTooDeep = true
            return nil
        }
        guard let memory = arena.allocateZeroed(count * layout.pointee.size) else {
            isOutOfMemory = true
            return nil
        }
        return memory
    }

    @inlinable @inline(__always) mutating func memory(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let memory = arena.allocate(count) else {
            isOutOfMemory = true
            return nil
        }
        return memory
    }

    /// Fills the struct at `memory` with `message`, and returns to the struct that was being filled
    /// before.
    @inlinable mutating func nested<M: CodedMessage>(
        _ message: inout M, _ memory: UnsafeMutableRawPointer, _ layout: UnsafePointer<Layout>
    ) {
        let outer = (base, slot)
        base = memory
        slot = layout.pointee.slots
        base.storeBytes(of: layout.pointee.descriptor, as: UnsafeRawPointer.self)
        bound &+= Encoder.prefixBound
        levels &-= 1
        message.visit(&self)
        levels &+= 1
        (base, slot) = outer
    }

    @inlinable @inline(__always)
    package mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)
    {
        let slot = next()
        add(value.store(at: base + Int(slot.value), arena))
    }

    @inlinable @inline(__always)
    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T?
    ) {
        let slot = next()
        guard let value else { return }
        base.storeBytes(of: 1, toByteOffset: Int(slot.quantifier), as: UInt32.self)
        add(value.store(at: base + Int(slot.value), arena))
    }

    @inlinable
    package mutating func field<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        let slot = next()
        let count = value.count
        guard count > 0, let slots = memory(count * T.kind.slotSize) else { return }
        base.storeBytes(of: count, toByteOffset: Int(slot.quantifier), as: Int.self)
        base.storeBytes(
            of: slots, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        bound &+= Encoder.prefixBound
        var next = slots
        for element in value {
            add(element.store(at: next, arena))
            next += T.kind.slotSize
        }
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout M?
    ) {
        let slot = next()
        guard value != nil, let layout = slot.child, let memory = structs(1, layout) else {
            return
        }
        base.storeBytes(
            of: memory, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        // It is not nil, as checked above. It is visited in place, because a copy retains all that
        // it holds.
        nested(&value!, memory, layout)
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [M]
    ) {
        let slot = next()
        let count = value.count
        guard count > 0, let layout = slot.child, let pointers = memory(count * 8),
            let memory = structs(count, layout)
        else { return }
        base.storeBytes(of: count, toByteOffset: Int(slot.quantifier), as: Int.self)
        base.storeBytes(
            of: pointers, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        let outer = (base, self.slot)
        bound &+= count &* Encoder.prefixBound
        base = memory
        levels &-= 1
        value.withUnsafeBufferPointer { elements in
            for index in 0..<count {
                pointers.storeBytes(
                    of: base, toByteOffset: index &* 8, as: UnsafeMutableRawPointer.self)
                base.storeBytes(of: layout.pointee.descriptor, as: UnsafeRawPointer.self)
                self.slot = layout.pointee.slots
                // The list is not empty, so it has an address. A visit by an encoder only reads.
                UnsafeMutablePointer(mutating: elements.baseAddress! + index).pointee.visit(&self)
                base += layout.pointee.size
            }
        }
        levels &+= 1
        (base, self.slot) = outer
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        let slot = next()
        guard let value else { return }
        base.storeBytes(of: 1, toByteOffset: Int(slot.quantifier), as: UInt32.self)
        add(value.text.store(at: base + Int(slot.value), arena))
    }

    @inlinable
    package mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        let slot = next()
        let count = value.count
        guard count > 0, let slots = memory(count * 16) else { return }
        base.storeBytes(of: count, toByteOffset: Int(slot.quantifier), as: Int.self)
        base.storeBytes(
            of: slots, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        var next = slots
        for element in value {
            add(5 &+ element.text.store(at: next, arena))
            next += 16
        }
    }

    /// The entries of a map, ready to be filled, in the order of their keys.
    ///
    /// Stored or compared bytes must not depend on the seed of a dictionary.
    @inlinable mutating func entries<K: MapKey, V>(
        _ map: [K: V], _ fill: (inout Encoder, V, FieldOffsets) -> Void
    ) {
        let slot = next()
        guard !map.isEmpty, let layout = slot.child, let pointers = memory(map.count * 8),
            let memory = structs(map.count, layout)
        else { return }
        base.storeBytes(of: map.count, toByteOffset: Int(slot.quantifier), as: Int.self)
        base.storeBytes(
            of: pointers, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        let outer = (base, self.slot)
        let keySlot = layout.pointee.slots[0]
        let valueSlot = layout.pointee.slots[1]
        var pointer = pointers
        base = memory
        levels &-= 1
        for (key, value) in map.sorted(by: { K.precedes($0.key, $1.key) }) {
            pointer.storeBytes(of: base, as: UnsafeMutableRawPointer.self)
            base.storeBytes(of: layout.pointee.descriptor, as: UnsafeRawPointer.self)
            base.storeBytes(of: 1, toByteOffset: Int(keySlot.quantifier), as: UInt32.self)
            bound &+= Encoder.prefixBound
            add(key.store(at: base + Int(keySlot.value), arena))
            fill(&self, value, valueSlot)
            base += layout.pointee.size
            pointer += 8
        }
        levels &+= 1
        (base, self.slot) = outer
    }

    @inlinable
    package mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        entries(value) { encoder, value, slot in
            encoder.base.storeBytes(
                of: 1, toByteOffset: Int(slot.quantifier), as: UInt32.self)
            encoder.add(value.store(at: encoder.base + Int(slot.value), encoder.arena))
        }
    }

    @inlinable
    package mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        entries(value) { encoder, value, slot in
            encoder.store(value, at: slot)
        }
    }

    /// Fills a new struct with `message` and points the slot at it.
    @inlinable mutating func store<M: CodedMessage>(_ message: M, at slot: FieldOffsets) {
        guard let layout = slot.child, let memory = structs(1, layout) else { return }
        base.storeBytes(
            of: memory, toByteOffset: Int(slot.value), as: UnsafeMutableRawPointer.self)
        var message = message
        nested(&message, memory, layout)
    }

    @inlinable @inline(__always)
    package mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    @inlinable @inline(__always)
    package mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        let slot = next()
        guard let value, let payload = get(value) else { return }
        base.storeBytes(of: number, toByteOffset: Int(slot.quantifier), as: UInt32.self)
        add(payload.store(at: base + Int(slot.value), arena))
    }

    @inlinable
    package mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        let slot = next()
        guard let value, let payload = get(value) else { return }
        base.storeBytes(of: number, toByteOffset: Int(slot.quantifier), as: UInt32.self)
        store(payload, at: slot)
    }

    /// One unknown field is enough to write all of them.
    ///
    /// The library writes the tag of the first field, and copies the bytes that it takes for its
    /// payload: all bytes after that tag.
    @inlinable
    package mutating func unknown(_ fields: inout UnknownFields) {
        guard let (tag, rest) = UnknownFields.split(fields.bytes) else { return }
        guard let payload = rest.withUnsafeBytes({ arena.copy($0) }), let record = memory(24) else {
            isOutOfMemory = true
            return
        }
        record.storeBytes(of: tag >> 3, as: UInt32.self)
        record.storeBytes(of: tag & 7, toByteOffset: 4, as: UInt32.self)
        record.storeBytes(of: payload.count, toByteOffset: 8, as: Int.self)
        record.storeBytes(
            of: payload.baseAddress, toByteOffset: 16, as: UnsafeRawPointer?.self)
        base.storeBytes(of: 1, toByteOffset: Layout.unknownCountOffset, as: UInt32.self)
        base.storeBytes(
            of: record, toByteOffset: Layout.unknownFieldsOffset, as: UnsafeMutableRawPointer.self)
        bound &+= payload.count &+ 5
    }
}

extension UnknownFields {
    /// The first tag, and the bytes after it; nil if there is nothing, or no whole tag.
    @usableFromInline static func split(
        _ bytes: [UInt8]
    ) -> (tag: UInt32, rest: ArraySlice<UInt8>)? {
        var tag: UInt32 = 0
        for (index, byte) in bytes.prefix(5).enumerated() {
            tag |= UInt32(byte & 0x7F) << UInt32(7 * index)
            if byte < 0x80 { return (tag, bytes.dropFirst(index + 1)) }
        }
        return nil
    }
}
