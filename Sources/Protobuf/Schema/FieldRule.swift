/// The facts that the guard needs about a field before libprotobuf-c sees it.
struct FieldRule {
    enum Content: UInt8 {
        case varint, fixed64, fixed32, bytes, text, message
    }

    let number: UInt32
    let name: StaticString
    let content: Content
    /// Whether numbers in one length-counted record are valid too, beside one record for each
    /// number.
    let isPackable: Bool
    /// 1 + the bit of a singular message, which is merged if it comes twice; 0 for other fields.
    let once: UInt8
    /// 1 + the index of the `oneof`; 0 for other fields.
    let oneof: UInt8
    /// The memory that one record takes beside its bytes, in Swift and in C.
    var recordCharge: Int
    var child: UnsafePointer<Layout>?

    @inline(__always) var wireType: UInt32 {
        switch content {
        case .varint: 0
        case .fixed64: 1
        case .bytes, .text, .message: 2
        case .fixed32: 5
        }
    }
}
