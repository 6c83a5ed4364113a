/// The offsets of a field in the struct that libprotobuf-c has for its message.
@usableFromInline struct Slot {
    @usableFromInline let value: UInt32
    /// The offset of the `has_` flag, the count, or the number of the `oneof`'s case; 0 if there is
    /// none.
    @usableFromInline let quantifier: UInt32
    /// The layout of the message in the field, or of the map's entry.
    @usableFromInline var child: UnsafePointer<Layout>?
}
