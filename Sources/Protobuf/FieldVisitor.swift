/// The visits of a codec: one overload for each line of the closed table of field types.
@usableFromInline package protocol FieldVisitor {
    /// A field without presence: it is absent on the wire if it is zero or empty.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)

    /// A field of proto3 `optional`: present and zero differs from absent.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T?)

    /// A `repeated` field, packed on the wire if its element is a number.
    mutating func field<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T])

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout M?)

    mutating func field<M: CodedMessage>(_ number: UInt32, _ name: StaticString, _ value: inout [M])

    /// A field whose text is shown to no reader of a log; every codec reads and writes it.
    mutating func secret<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout T)

    /// A message that stays as its bytes.
    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout Encoded<M>?)

    /// Messages that stay as their bytes: a page of stored records.
    mutating func field<M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [Encoded<M>])

    /// A `repeated` field of numbers that stand one by one on the wire: `[packed = false]`.
    mutating func unpacked<T: Scalar>(_ number: UInt32, _ name: StaticString, _ value: inout [T])

    /// A `map<K, T>`.
    ///
    /// Keys that are strings are Swift's, so two keys that Unicode treats as equal are one key.
    mutating func field<K: MapKey, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: T])

    /// A `map<K, M>`.
    mutating func field<K: MapKey, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout [K: M])

    /// A `oneof`: a Swift enum with payloads; its cases are visited at the number of the first one.
    mutating func oneof<O: OneOf>(_ name: StaticString, _ value: inout O?)

    /// The last visit of a message that must keep fields of newer writers: stored records.
    mutating func unknown(_ fields: inout UnknownFields)
}

extension FieldVisitor {
    /// Most visitors read both forms, so packed or not is the same to them.
    @inlinable
    package mutating func unpacked<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout [T]
    ) {
        field(number, name, &value)
    }

    /// Only the visitor that writes for people treats a secret in another way.
    @inlinable
    package mutating func secret<T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout T
    ) {
        field(number, name, &value)
    }

    /// A field that holds one row, in the form that its message has for rows.
    @inlinable
    package mutating func row<R: CodedRow>(
        _ number: UInt32, _ name: StaticString, _ value: inout R?
    ) {
        R.visit(number, name, &value, &self)
    }

    /// A `repeated` field of rows, in the form that its message has for rows.
    @inlinable
    package mutating func rows<R: CodedRow>(
        _ number: UInt32, _ name: StaticString, _ value: inout [R]
    ) {
        R.visit(number, name, &value, &self)
    }
}
