/// A scalar that may be the key of a map: an integer, a truth value or a string.
@usableFromInline package protocol MapKey: Scalar, Hashable {
    /// The order in which a map's entries are written, so that a message has one encoding.
    static func precedes(_ one: Self, _ other: Self) -> Bool
}

extension MapKey where Self: Comparable {
    @inlinable package static func precedes(_ one: Self, _ other: Self) -> Bool { one < other }
}
