internal import RelationAPI

/// One answer as a cache keeps it.
///
/// It is a class, so that entries are small and a caller takes an answer by one reference.
final class KeptProfile: Sendable {
    /// The memory of an entry beside its texts, in bytes.
    ///
    /// It was measured with profiles of short texts: the answer itself, and the entry's part of the
    /// cache's tables.
    static let baseBytes = 1_024
    /// The memory of a byte of the encoding.
    ///
    /// A text or a value of its own has an object header and unused room, so it takes more than it
    /// has bytes.
    static let bytesPerEncodedByte = 2

    let result: GetProfileResult
    /// The memory that the entry takes, in bytes, by estimate.
    let bytes: Int

    convenience init(_ result: GetProfileResult) {
        self.init(
            result, bytes: Self.baseBytes + Self.bytesPerEncodedByte * result.bytesAtMost)
    }

    init(_ result: GetProfileResult, bytes: Int) {
        self.result = result
        self.bytes = bytes
    }
}
