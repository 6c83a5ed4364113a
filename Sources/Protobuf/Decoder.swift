/// The visitor that reads a message out of the C struct that libprotobuf-c unpacked.
///
/// It cannot fail: the guard has checked the bytes before, strings are valid, and every pointer and
/// count comes from the library.
@usableFromInline struct Decoder: FieldVisitor, OneOfVisitor {
    @usableFromInline var base: UnsafeRawPointer
    /// The place of the field that is visited next.
    @usableFromInline var place: UnsafePointer<Place>

    @inlinable init(base: UnsafeRawPointer, place: UnsafePointer<Place>) {
        self.base = base
        self.place = place
    }

    @inlinable @inline(__always) mutating func next() -> Place {
        defer { place += 1 }
        return place.pointee
    }

    /// The message in the struct at `pointer`.
    @inlinable mutating func nested<M: Message>(
        _ message: inout M, _ pointer: UnsafeRawPointer, _ layout: UnsafePointer<Layout>
    ) {
        let outer = (base, place)
        base = pointer
        place = layout.pointee.places
        message.visit(&self)
        (base, place) = outer
    }

    /// The count of a list, and the address of its elements; nil if it is empty.
    @inlinable @inline(__always)
    func list(_ place: Place) -> (count: Int, elements: UnsafeRawPointer)? {
        let count = base.load(fromByteOffset: Int(place.quantifier), as: Int.self)
        guard count > 0, let elements = pointer(place) else { return nil }
        return (count, elements)
    }

    @inlinable @inline(__always) func pointer(_ place: Place) -> UnsafeRawPointer? {
        base.load(fromByteOffset: Int(place.value), as: UnsafeRawPointer?.self)
    }

    @inlinable @inline(__always) func quantifier(_ place: Place) -> UInt32 {
        base.load(fromByteOffset: Int(place.quantifier), as: UInt32.self)
    }

    @inlinable @inline(__always)
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        let place = next()
        value = T.load(from: base + Int(place.value))
    }

    @inlinable @inline(__always)
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        let place = next()
        value = quantifier(place) == 0 ? nil : T.load(from: base + Int(place.value))
    }

    @inlinable
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        let place = next()
        guard let (count, elements) = list(place) else {
            value = []
            return
        }
        value = [T](unsafeUninitializedCapacity: count) { buffer, initialized in
            var slot = elements
            for index in 0..<count {
                buffer.initializeElement(at: index, to: T.load(from: slot))
                slot += T.kind.slotSize
            }
            initialized = count
        }
    }

    @inlinable
    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout M?) {
        let place = next()
        value = message(place)
    }

    @inlinable mutating func message<M: Message>(_ place: Place) -> M? {
        guard let pointer = pointer(place), let layout = place.child else { return nil }
        var message = M()
        nested(&message, pointer, layout)
        return message
    }

    @inlinable
    mutating func field<M: Message>(_ number: UInt32, _ name: StaticString, _ value: inout [M]) {
        let place = next()
        guard let (count, elements) = list(place), let layout = place.child else {
            value = []
            return
        }
        let outer = (base, self.place)
        value = [M](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                buffer.initializeElement(at: index, to: M())
                base = elements.load(fromByteOffset: index &* 8, as: UnsafeRawPointer.self)
                self.place = layout.pointee.places
                buffer[index].visit(&self)
            }
            initialized = count
        }
        (base, self.place) = outer
    }

    @inlinable
    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        let place = next()
        value =
            quantifier(place) == 0
            ? nil : Encoded(text: Text.load(from: base + Int(place.value)))
    }

    @inlinable
    mutating func field<M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        let place = next()
        guard let (count, elements) = list(place) else {
            value = []
            return
        }
        value = (0..<count).map { Encoded(text: Text.load(from: elements + $0 &* 16)) }
    }

    /// The entries of a map in the order of the wire, so that the last of equal keys wins.
    @inlinable mutating func entries<K: MapKey, V>(
        _ value: inout [K: V], _ read: (inout Decoder, Place) -> V
    ) {
        let place = next()
        value = [:]
        guard let (count, elements) = list(place), let layout = place.child else { return }
        let outer = base
        let keyPlace = layout.pointee.places[0]
        let valuePlace = layout.pointee.places[1]
        for index in 0..<count {
            base = elements.load(fromByteOffset: index &* 8, as: UnsafeRawPointer.self)
            // If an entry has no key, its slot is zero, as the format demands.
            let key = K.load(from: base + Int(keyPlace.value))
            value[key] = read(&self, valuePlace)
        }
        base = outer
    }

    @inlinable
    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        // If an entry has no value, its slot is zero too.
        entries(&value) { decoder, place in T.load(from: decoder.base + Int(place.value)) }
    }

    @inlinable
    mutating func field<K: MapKey, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        entries(&value) { decoder, place in decoder.message(place) ?? M() }
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
        let place = next()
        guard quantifier(place) == number else { return }
        value = make(T.load(from: base + Int(place.value)))
    }

    @inlinable
    mutating func field<O: OneOf, M: Message>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        let place = next()
        guard quantifier(place) == number else { return }
        value = make(message(place) ?? M())
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
