import RelationModel

/// The fields of profiles that are for other users than their profiles are, as an app says it for
/// users that have not chosen for the field.
///
/// Each list has the paths of fields. For a field in several lists, the first list holds.
package struct FieldDefaults: Equatable, Sendable {
    package var oneself: [String] = [] { didSet { choices = joined } }
    package var friends: [String] = [] { didSet { choices = joined } }
    package var followers: [String] = [] { didSet { choices = joined } }
    package var everyone: [String] = [] { didSet { choices = joined } }

    /// All of them, in the order of the profile's fields.
    package internal(set) var choices: [FieldChoiceRecord] = []

    package init() {}
}
