import Protobuf

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
    /// - Parameter kicked: The platforms of devices that the login drove out.
    case stateChange(
        StateAction, of: String, kicked: [String], timeMilliseconds: Int64)

    /// How a device of a user went online or offline, with the reason that TIM has for it.
    package enum StateAction: Sendable, Equatable {
        /// The device was reported as online.
        case login
        /// The device was reported as offline.
        case logout
        /// The device was not reported again in time.
        case timeOut
        /// The server no longer knows the device.
        case linkClose

        fileprivate var words: (action: String, reason: String) {
            switch self {
            case .login: ("Login", "Register")
            case .logout: ("Logout", "Unregister")
            case .timeOut: ("Disconnect", "TimeOut")
            case .linkClose: ("Disconnect", "LinkClose")
            }
        }
    }

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
        case .stateChange: "State.StateChange"
        }
    }

    package static let contentType = "application/json"

    /// The body as JSON.
    package func json() -> [UInt8] {
        let fields: [String] =
            switch self {
            case .friendAdd(let friends, let command, let admin, let isForced):
                [
                    Self.list(
                        "PairList",
                        friends.map {
                            [
                                Self.text("From_Account", $0.from), Self.text("To_Account", $0.to),
                                Self.text("Initiator_Account", $0.initiator),
                            ]
                        }),
                    Self.text("ClientCmd", command), Self.text("Admin_Account", admin),
                    Self.number("ForceFlag", isForced ? 1 : 0),
                ]
            case .friendDelete(let pairs), .blackListAdd(let pairs), .blackListDelete(let pairs):
                [
                    Self.list(
                        "PairList",
                        pairs.map {
                            [Self.text("From_Account", $0.from), Self.text("To_Account", $0.to)]
                        })
                ]
            case .portraitSet(let user, let from, let time, let items):
                [
                    Self.text("Operator_Account", user), Self.text("From_Account", from),
                    Self.number("EventTime", time),
                    Self.list("ProfileItem", items.map { $0.fields }),
                ]
            case .followAdd(let from, let users, let time),
                .followDelete(let from, let users, let time):
                [
                    Self.text("From_Account", from),
                    Self.list("FollowList", users.map { [Self.text("To_Account", $0)] }),
                    Self.number("EventTime", time),
                ]
            case .stateChange(let action, let user, let kicked, let time):
                Self.state(action, user, kicked) + [Self.number("EventTime", time)]
            }
        return Array(Self.object([Self.text("CallbackCommand", command)] + fields).utf8)
    }

    /// `Info`, and `KickedDevice` if there is one.
    private static func state(
        _ action: StateAction, _ user: String, _ kicked: [String]
    ) -> [String] {
        let words = action.words
        let info = object([
            text("Action", words.action), text("To_Account", user), text("Reason", words.reason),
        ])
        let devices = kicked.map { [text("Platform", $0)] }
        return ["\"Info\":\(info)"] + (kicked.isEmpty ? [] : [list("KickedDevice", devices)])
    }

    // MARK: - JSON

    fileprivate static func text(_ name: String, _ value: String) -> String {
        "\"\(name)\":\(JSONQuote.text(value))"
    }

    fileprivate static func number(_ name: String, _ value: Int64) -> String {
        "\"\(name)\":\(value)"
    }

    private static func list(_ name: String, _ objects: [[String]]) -> String {
        "\"\(name)\":[" + objects.map(object).joined(separator: ",") + "]"
    }

    private static func object(_ fields: [String]) -> String {
        "{" + fields.joined(separator: ",") + "}"
    }
}

extension TIMCallback.Item {
    fileprivate var fields: [String] {
        let value =
            switch value {
            case .text(let text): TIMCallback.text("Value", text)
            case .number(let number): TIMCallback.number("Value", number)
            }
        return [TIMCallback.text("Tag", tag), value]
    }
}
