public import Memory

/// The visitor that reads a message out of the C struct that libprotobuf-c unpacked.
///
/// It cannot fail: the guard has checked the bytes before, strings are valid, and every pointer and
/// count comes from the library.
@usableFromInline struct Decoder: FieldVisitor, OneOfVisitor {
    @usableFromInline var base: UnsafeRawPointer
    /// The slot of the field that is visited next.
    @usableFromInline var slot: UnsafePointer<FieldOffsets>

    @inlinable init(base: UnsafeRawPointer, slot: UnsafePointer<FieldOffsets>) {
        self.base = base
        self.slot = slot
    }

    @inlinable @inline(__always) mutating func next() -> FieldOffsets {
        defer { slot += 1 }
        return slot.pointee
    }

    /// The message in the struct at `pointer`.
    @inlinable mutating func nested<M: CodedMessage>(
        _ message: inout M, _ pointer: UnsafeRawPointer, _ layout: UnsafePointer<Layout>
    ) {
        let outer = (base, slot)
        base = pointer
        slot = layout.pointee.slots
        message.visit(&self)
        (base, slot) = outer
    }

    /// The count of a list, and the address of its elements; nil if it is empty.
    @inlinable @inline(__always)
    func list(_ slot: FieldOffsets) -> (count: Int, elements: UnsafeRawPointer)? {
        let count = base.load(fromByteOffset: Int(slot.quantifier), as: Int.self)
        guard count > 0, let elements = pointer(slot) else { return nil }
        return (count, elements)
    }

    @inlinable @inline(__always) func pointer(_ slot: FieldOffsets) -> UnsafeRawPointer? {
        base.load(fromByteOffset: Int(slot.value), as: UnsafeRawPointer?.self)
    }

    @inlinable @inline(__always) func quantifier(_ slot: FieldOffsets) -> UInt32 {
        base.load(fromByteOffset: Int(slot.quantifier), as: UInt32.self)
    }

    @inlinable @inline(__always)
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        let slot = next()
        value = T.load(from: base + Int(slot.value))
    }

    @inlinable @inline(__always)
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        let slot = next()
        value = quantifier(slot) == 0 ? nil : T.load(from: base + Int(slot.value))
    }

    @inlinable
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        let slot = next()
        guard let (count, elements) = list(slot) else {
            // A message that is filled again keeps the memory of its lists.
            if !value.isEmpty { value.removeAll(keepingCapacity: true) }
            return
        }
        if T.isItsSlot, value.count == count {
            // Requests that follow each other mostly name as many. As below, for the slots.
            let slots = elements.assumingMemoryBound(to: T.self)
            value.withUnsafeMutableBufferPointer { old in
                old.baseAddress?.update(from: slots, count: count)
            }
            return
        }
        if !value.isEmpty { value.removeAll(keepingCapacity: true) }
        value.reserveCapacity(count)
        // A few are sooner copied one by one.
        if T.isItsSlot, count > 3 {
            // The library made an array of `count` slots, and each has the bytes of a value.
            let slots = elements.assumingMemoryBound(to: T.self)
            value.append(contentsOf: UnsafeBufferPointer(start: slots, count: count))
            return
        }
        var next = elements
        for _ in 0..<count {
            value.append(T.load(from: next))
            next += T.kind.slotSize
        }
    }

    @inlinable
    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        let slot = next()
        value = message(slot)
    }

    @inlinable mutating func message<M: CodedMessage>(_ slot: FieldOffsets) -> M? {
        guard let pointer = pointer(slot), let layout = slot.child else { return nil }
        var message = M()
        nested(&message, pointer, layout)
        return message
    }

    @inlinable
    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        let slot = next()
        guard let (count, elements) = list(slot), let layout = slot.child else {
            value = []
            return
        }
        let outer = (base, self.slot)
        value = [M](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                buffer.initializeElement(at: index, to: M())
                base = elements.load(fromByteOffset: index &* 8, as: UnsafeRawPointer.self)
                self.slot = layout.pointee.slots
                buffer[index].visit(&self)
            }
            initialized = count
        }
        (base, self.slot) = outer
    }

    @inlinable
    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        let slot = next()
        value =
            quantifier(slot) == 0
            ? nil : Encoded(text: Text.load(from: base + Int(slot.value)))
    }

    @inlinable
    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        let slot = next()
        guard let (count, elements) = list(slot) else {
            value = []
            return
        }
        value = (0..<count).map { Encoded(text: Text.load(from: elements + $0 &* 16)) }
    }

    /// The entries of a map in the order of the wire, so that the last of equal keys wins.
    @inlinable mutating func entries<K: MapKey, V>(
        _ value: inout [K: V], _ read: (inout Decoder, FieldOffsets) -> V
    ) {
        let slot = next()
        value = [:]
        guard let (count, elements) = list(slot), let layout = slot.child else { return }
        let outer = base
        let keySlot = layout.pointee.slots[0]
        let valueSlot = layout.pointee.slots[1]
        for index in 0..<count {
            base = elements.load(fromByteOffset: index &* 8, as: UnsafeRawPointer.self)
            // If an entry has no key, its slot is zero, as the format demands.
            let key = K.load(from: base + Int(keySlot.value))
            value[key] = read(&self, valueSlot)
        }
        base = outer
    }

    @inlinable
    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        // If an entry has no value, its slot is zero too.
        entries(&value) { decoder, slot in T.load(from: decoder.base + Int(slot.value)) }
    }

    @inlinable
    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        entries(&value) { decoder, slot in decoder.message(slot) ?? M() }
    }

    @inlinable @inline(__always)
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        value = nil
        O.visit(&value, &self)
    }

    @inlinable @inline(__always)
    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        let slot = next()
        guard quantifier(slot) == number else { return }
        value = make(T.load(from: base + Int(slot.value)))
    }

    @inlinable
    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        let slot = next()
        guard quantifier(slot) == number else { return }
        value = make(message(slot) ?? M())
    }

    /// The fields that ``Normal`` packed into one record: a length, and the fields as they came.
    @inlinable
    mutating func unknown(_ fields: inout UnknownFields) {
        fields.bytes = []
        let count = base.load(fromByteOffset: Layout.unknownCountOffset, as: UInt32.self)
        guard count > 0,
            let record = base.load(
                fromByteOffset: Layout.unknownFieldsOffset, as: UnsafeRawPointer?.self),
            let start = record.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)
        else { return }
        let payload = UnsafeRawBufferPointer(
            start: start, count: record.load(fromByteOffset: 8, as: Int.self))
        let prefix = payload.firstIndex { $0 < 0x80 } ?? 0
        fields.bytes = [UInt8](payload[(prefix + 1)...])
    }
}
