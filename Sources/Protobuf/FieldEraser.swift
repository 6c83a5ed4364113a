extension CodedMessage {
    /// Empties every field but those of the numbers in `kept`.
    ///
    /// A field of a message in this message is kept or emptied with the field that has it. Unknown
    /// fields are emptied.
    ///
    /// - Parameter kept: Bit `n` stands for the number `n`, so numbers above 63 cannot be kept.
    package mutating func eraseFields(except kept: UInt64) {
        var eraser = FieldEraser(kept: kept)
        visit(&eraser)
    }
}

/// The visitor that empties the fields that it is not to keep.
private struct FieldEraser: FieldVisitor, OneOfVisitor {
    let kept: UInt64

    private func keeps(_ number: UInt32) -> Bool { number < 64 && kept >> UInt64(number) & 1 != 0 }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T) {
        if !keeps(number) { value = T() }
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?) {
        if !keeps(number) { value = nil }
    }

    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T]) {
        if !keeps(number) { value = [] }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)
    {
        if !keeps(number) { value = nil }
    }

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])
    {
        if !keeps(number) { value = [] }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?
    ) {
        if !keeps(number) { value = nil }
    }

    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>]
    ) {
        if !keeps(number) { value = [] }
    }

    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T]
    ) {
        if !keeps(number) { value = [:] }
    }

    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M]
    ) {
        if !keeps(number) { value = [:] }
    }

    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?) {
        O.visit(&value, &self)
    }

    mutating func unknown(_ fields: inout UnknownFields) {
        fields = UnknownFields()
    }

    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O
    ) {
        if !keeps(number), let held = value, get(held) != nil { value = nil }
    }

    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O
    ) {
        if !keeps(number), let held = value, get(held) != nil { value = nil }
    }
}
