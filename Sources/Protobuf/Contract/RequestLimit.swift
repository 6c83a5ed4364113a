/// A bound of one field of a call's request.
@usableFromInline package struct RequestLimit: Sendable {
    /// The things that the number counts.
    package enum Unit: Sendable {
        case items, bytes, characters, milliseconds, seconds
    }

    /// The name of the field in the request, "friends"; a field of an item is "items.tags".
    package let field: String
    /// The largest count, length or time; `Int64.max` if only the settings of an app bound it.
    package let limit: Int64
    package let unit: Unit

    package init(_ field: StaticString, _ limit: Int64, _ unit: Unit) {
        self.field = field.description
        self.limit = limit
        self.unit = unit
    }
}
