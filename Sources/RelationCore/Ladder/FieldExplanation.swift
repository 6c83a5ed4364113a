package import RelationModel

/// A field of a profile, or of an event, with the ladder that decides whether one user sees it.
package struct FieldExplanation: Sendable {
    package let path: String
    /// The state that an answer gives; unspecified if the field is there.
    package let state: FieldAccessState
    package let rungs: [ExplainedRung]
}
