import RelationModel

/// The fields of profiles whose new values are reviewed, and what others see of them meanwhile.
///
/// It is one list, because copies of an app's settings are many.
package struct ReviewedPaths: Equatable, Sendable {
    private struct Field: Equatable, Sendable {
        let path: String
        let state: ReviewState
    }

    private var fields: [Field] = []

    package init() {}

    package var isEmpty: Bool { fields.isEmpty }
    var count: Int { fields.count }

    /// The paths of the fields whose new values wait, in the order in which they were given.
    package var held: [String] {
        get { paths(.held) }
        set { fields = newValue.map { Field(path: $0, state: .held) } + all(.shown) }
    }

    /// The paths of the fields whose new values are shown at once.
    package var shown: [String] {
        get { paths(.shown) }
        set { fields = all(.held) + newValue.map { Field(path: $0, state: .shown) } }
    }

    private func all(_ state: ReviewState) -> [Field] { fields.filter { $0.state == state } }

    private func paths(_ state: ReviewState) -> [String] { all(state).map(\.path) }

    /// How others see a new value of the field of that path; nil if it is not reviewed.
    ///
    /// A field in both lists is held.
    func state(of path: String) -> ReviewState? {
        fields.first { $0.path.isExactly(path) }?.state
    }
}
