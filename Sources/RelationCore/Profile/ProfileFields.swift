/// A set of fields of a profile: a bit for the number of each.
package struct ProfileFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package init(_ field: ProfileField) {
        rawValue = 1 << field.number
    }

    package init(_ fields: [ProfileField]) {
        rawValue = fields.reduce(0) { $0 | 1 << $1.number }
    }

    package static let all = ProfileFields(ProfileField.allCases)

    package func contains(_ field: ProfileField) -> Bool {
        rawValue & 1 << field.number != 0
    }

    /// Whether the set has the field of that number.
    package func contains(number: UInt32) -> Bool {
        number < 32 && rawValue & 1 << number != 0
    }
}
