import Migrations
import RelationAPI
import RelationClient
import RelationModel

/// A call for one user, which migrates what no import does.
enum AccountCall: Equatable {
    case unfollow([String])
    case unblock([String])
    case deleteFriends([String])
    case deleteGroups([String])
    case makeGroups([String])
    case setVisibility(Visibility)
    case setFieldVisibilities([FieldVisibility])
    case deleteAccount

    /// Makes the call.
    ///
    /// A row that is already as the call would have it is not a refusal: the app is in use.
    ///
    /// - Parameter id: Names the call: a second one of that id changes nothing.
    /// - Returns: The items that were refused.
    /// - Throws: `CallError` if the call failed as a whole.
    func make(for user: String, as id: String, _ client: Client) async throws -> [MigrationLoss] {
        let options = WriteOptions.with { $0.requestID = id }
        switch self {
        case .unfollow(let users):
            let answer = try await client.call(
                FollowMethods.unfollow,
                .with { ($0.userID, $0.options, $0.userIDs) = (user, options, users) })
            return Self.refused("follow", of: user, answer.results.map { ($0.userID, $0) }) {
                $0.code == .accountNotFound
            }
        case .unblock(let users):
            let answer = try await client.call(
                BlacklistMethods.removeFromBlacklist,
                .with { ($0.userID, $0.options, $0.userIDs) = (user, options, users) })
            return Self.refused("blacklist", of: user, answer.results.map { ($0.userID, $0) }) {
                $0.code == .accountNotFound || $0.code == .notInBlacklist
            }
        case .deleteFriends(let users):
            let answer = try await client.call(
                FriendMethods.deleteFriends,
                .with {
                    ($0.userID, $0.options, $0.userIDs) = (user, options, users)
                    $0.deleteType = .single
                })
            return Self.refused("friend", of: user, answer.results.map { ($0.userID, $0) }) {
                $0.code == .accountNotFound || $0.code == .notFriend
            }
        case .deleteGroups(let names):
            let answer = try await client.call(
                GroupMethods.deleteFriendGroups,
                .with { ($0.userID, $0.options, $0.names) = (user, options, names) })
            return Self.refused("group", of: user, answer.results.map { ($0.name, $0) }) {
                $0.reason == Reason.GroupUpdate.groupNotExist
            }
        case .makeGroups(let names):
            let answer = try await client.call(
                GroupMethods.createFriendGroups,
                .with { ($0.userID, $0.options, $0.names) = (user, options, names) })
            return Self.refused("group", of: user, answer.results.map { ($0.name, $0) }) {
                $0.reason == Reason.GroupAdd.groupExist
            }
        case .setVisibility(let visibility):
            let answer = try await client.call(
                ProfileMethods.setVisibility,
                .with { ($0.userID, $0.options, $0.visibility) = (user, options, visibility) })
            return Self.refused("visibility", of: user, [("", answer)]) { _ in false }
        case .setFieldVisibilities(let fields):
            do {
                let answer = try await client.call(
                    ProfileMethods.setVisibility,
                    .with { ($0.userID, $0.options, $0.fields) = (user, options, fields) })
                return Self.refused("field_visibility", of: user, [("", answer)]) { _ in false }
            } catch let error as CallError where error.code == .invalidArgument {
                // A field that the app here does not have, or for which there is no choice.
                return fields.map {
                    MigrationLoss(
                        user, "field_visibility", field: $0.field, because: error.description)
                }
            }
        case .deleteAccount:
            let answer = try await client.call(
                AccountMethods.deleteAccounts,
                .with { ($0.options, $0.userIDs) = (options, [user]) })
            return Self.refused("account", of: user, answer.results.map { ($0.userID, $0) }) {
                $0.code == .accountNotFound
            }
        }
    }

    private static func refused<Result: ResultMessage>(
        _ kind: String, of user: String, _ results: [(String, Result)],
        unless isDone: (Result) -> Bool
    ) -> [MigrationLoss] {
        results.compactMap { other, result in
            guard let code = result.code, code.rawValue != 0, !isDone(result) else { return nil }
            let other = other == user ? "" : other
            return MigrationLoss(
                user, kind, other,
                because: "\(code.rawValue) \(result.reason.info.description)")
        }
    }
}
