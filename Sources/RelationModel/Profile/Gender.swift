public import Protobuf

/// The gender that a profile states.
public struct Gender: OpenEnum, Scalar {
    /// Not stated.
    public static let unknown = Gender(rawValue: 0)
    /// Male.
    public static let male = Gender(rawValue: 1)
    /// Female.
    public static let female = Gender(rawValue: 2)

    public static let schema = EnumSchema(
        "relation.v1.Gender",
        [
            (unknown.rawValue, "GENDER_UNKNOWN"),
            (male.rawValue, "GENDER_MALE"),
            (female.rawValue, "GENDER_FEMALE"),
        ])

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
