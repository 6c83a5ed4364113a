/// The fields of a message that its schema does not know, as they came.
///
/// Only a message that visits such a field keeps them; all others drop unknown fields.
@usableFromInline package struct UnknownFields: Hashable, Sendable {
    /// Whole records, tag and payload, one after another.
    @usableFromInline package var bytes: [UInt8] = []

    package init() {}

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
