/// The visits of a codec to a case of a `oneof`.
@usableFromInline package protocol OneOfVisitor {
    /// A case with a number, a string, bytes or an enum: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, T: Scalar>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> T?, _ make: (T) -> O)

    /// A case with a message: `get` takes it out, `make` puts it in.
    mutating func field<O: OneOf, M: CodedMessage>(
        _ number: UInt32, _ name: StaticString, _ value: inout O?,
        _ get: (O) -> M?, _ make: (M) -> O)
}
