/// The result of a look into the read cache alone, from an adjacency list up to the answer of a
/// call.
@usableFromInline package enum CacheResult<Value> {
    case answered(Value)
    /// Rows have to tell.
    case notKnown
    /// The owner's adjacency list is not known, and was asked for before: it is worth loading.
    case worthLoading

    /// The result with what `transform` makes of the value; after a nil, rows have to tell.
    @inlinable @inline(__always)
    package func map<Other, Failure: Error>(
        _ transform: (Value) throws(Failure) -> Other?
    ) throws(Failure) -> CacheResult<Other> {
        switch self {
        case .answered(let value):
            guard let other = try transform(value) else { return .notKnown }
            return .answered(other)
        case .notKnown: return .notKnown
        case .worthLoading: return .worthLoading
        }
    }
}
