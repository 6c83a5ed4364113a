import RelationModel

/// The fields of profiles and of friends' rows whose new values are reviewed, and what others see
/// of them meanwhile.
///
/// It is one list, because copies of an app's settings are many.
package struct ReviewedPaths: Equatable, Sendable {
    private struct Field: Equatable, Sendable {
        let path: String
        let state: ReviewState
        var isOfFriend = false
    }

    private var fields: [Field] = []

    package init() {}

    package var isEmpty: Bool { fields.isEmpty }
    /// How many fields of profiles are reviewed.
    var profileCount: Int { fields.count { !$0.isOfFriend } }
    /// How many fields of friends' rows are reviewed.
    var friendCount: Int { fields.count { $0.isOfFriend } }
    /// Whether fields of friends' rows are reviewed.
    var hasFriends: Bool { fields.contains(where: \.isOfFriend) }

    /// The paths of the fields of profiles whose new values wait, in the order in which they were
    /// given.
    package var held: [String] {
        get { paths(.held) }
        set { fields = newValue.map { Field(path: $0, state: .held) } + all(.shown) + ofFriends }
    }

    /// The paths of the fields of profiles whose new values are shown at once.
    package var shown: [String] {
        get { paths(.shown) }
        set { fields = all(.held) + newValue.map { Field(path: $0, state: .shown) } + ofFriends }
    }

    /// The paths of the fields of friends' rows, of which all are shown at once: the owner alone
    /// sees them, or the user who is asked, to whom a wording that waits would say nothing.
    package var friends: [String] {
        get { ofFriends.map(\.path) }
        set {
            fields.removeAll(where: \.isOfFriend)
            fields += newValue.map { Field(path: $0, state: .shown, isOfFriend: true) }
        }
    }

    private var ofFriends: [Field] { fields.filter(\.isOfFriend) }

    private func all(_ state: ReviewState) -> [Field] {
        fields.filter { $0.state == state && !$0.isOfFriend }
    }

    private func paths(_ state: ReviewState) -> [String] { all(state).map(\.path) }

    /// How others see a new value of the field of that path; nil if it is not reviewed.
    ///
    /// A field of profiles in both lists is held.
    func state(of path: String, ofFriend: Bool = false) -> ReviewState? {
        fields.first { $0.isOfFriend == ofFriend && $0.path.isExactly(path) }?.state
    }
}
