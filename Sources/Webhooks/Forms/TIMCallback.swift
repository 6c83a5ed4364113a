/// A callback after a change, with the names and the order of fields that TIM's have.
package enum TIMCallback: Sendable, Equatable {
    /// One side of a friendship that begins or ends, or an entry of a blacklist.
    package struct Pair: Sendable, Equatable {
        package var from: String
        package var to: String

        package init(from: String, to: String) {
            self.from = from
            self.to = to
        }
    }

    /// One side of a new friendship.
    package struct NewFriend: Sendable, Equatable {
        package var from: String
        /// The user who is in the list of `from` now.
        package var to: String
        package var initiator: String

        package init(from: String, to: String, initiator: String) {
            self.from = from
            self.to = to
            self.initiator = initiator
        }
    }

    /// The value of a field of a profile.
    package enum Value: Sendable, Equatable {
        case text(String)
        case number(Int64)
    }

    /// A field of a profile.
    package struct Item: Sendable, Equatable {
        /// The name, such as `Tag_Profile_IM_Nick`.
        package var tag: String
        package var value: Value

        package init(tag: String, value: Value) {
            self.tag = tag
            self.value = value
        }
    }

    /// - Parameters:
    ///   - clientCommand: `friend_add`, or `friend_response` after a consent.
    ///   - admin: The administrator who called; empty if it was a user, or is not known.
    case friendAdd([NewFriend], clientCommand: String, admin: String, isForced: Bool)
    case friendDelete([Pair])
    case blackListAdd([Pair])
    case blackListDelete([Pair])
    case portraitSet(operator: String, from: String, timeMilliseconds: Int64, [Item])
    case followAdd(from: String, [String], timeMilliseconds: Int64)
    case followDelete(from: String, [String], timeMilliseconds: Int64)

    /// The name, such as `Sns.CallbackFriendAdd`.
    package var command: String {
        switch self {
        case .friendAdd: "Sns.CallbackFriendAdd"
        case .friendDelete: "Sns.CallbackFriendDelete"
        case .blackListAdd: "Sns.CallbackBlackListAdd"
        case .blackListDelete: "Sns.CallbackBlackListDelete"
        case .portraitSet: "Profile.CallbackPortraitSet"
        case .followAdd: "Follow.CallbackAfterFollowAdd"
        case .followDelete: "Follow.CallbackAfterFollowDelete"
        }
    }

    package static let contentType = "application/json"

    /// The body as JSON.
    package func json() -> [UInt8] { [] }
}
