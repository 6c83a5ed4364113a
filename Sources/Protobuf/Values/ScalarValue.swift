/// The value of any scalar, for codecs that are not hot; its ``ScalarKind`` says its form on the
/// wire.
@usableFromInline package enum ScalarValue: Hashable, Sendable {
    case bool(Bool), int32(Int32), int64(Int64), uint32(UInt32), uint64(UInt64)
    case float(Float), double(Double), string(String), bytes([UInt8]), enumeration(Int32)
}
