import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// A request to one command, with all that the command needs.
struct TIMRequest {
    let body: TIMBody
    let calls: TIMCalls
    /// The settings of the app, which name its custom fields.
    let settings: AppSettings

    /// The acting user.
    var actor: String {
        get throws(TIMError) { try body.text("From_Account") }
    }

    /// The users that the request names.
    func users(atMost most: Int) throws(TIMError) -> [String] {
        try body.texts("To_Account", atMost: most)
    }
}

/// The commands of TIM's REST API that are answered here.
enum TIMCommands {
    typealias Command = @Sendable (TIMRequest) async throws(TIMError) -> TIMAnswer

    static func command(_ name: String, of service: TIMService) -> Command? {
        all[service]?[name]
    }

    /// Every command, as `sns/friend_add`.
    static var names: [String] {
        all.flatMap { service, commands in commands.keys.map { "\(service.rawValue)/\($0)" } }
            .sorted()
    }

    private static let all: [TIMService: [String: Command]] = [
        .sns: [
            "friend_add": FriendCommands.add,
            "friend_import": FriendCommands.importRows,
            "friend_update": FriendCommands.update,
            "friend_delete": FriendCommands.delete,
            "friend_delete_all": FriendCommands.deleteAll,
            "friend_check": FriendReads.check,
            "friend_get": FriendReads.get,
            "friend_get_list": FriendReads.getList,
            "black_list_add": BlacklistCommands.add,
            "black_list_delete": BlacklistCommands.delete,
            "black_list_get": BlacklistCommands.get,
            "black_list_check": BlacklistCommands.check,
            "group_add": GroupCommands.add,
            "group_delete": GroupCommands.delete,
            "group_get": GroupCommands.get,
        ],
        .profile: [
            "portrait_get": ProfileCommands.get,
            "portrait_set": ProfileCommands.set,
        ],
        .login: [
            "account_import": AccountCommands.importOne,
            "multiaccount_import": AccountCommands.importMany,
            "account_delete": AccountCommands.delete,
            "account_check": AccountCommands.check,
            "kick": AccountCommands.endSessions,
        ],
        .presence: [
            "query_online_status": PresenceCommands.query,
            "querystate": PresenceCommands.queryState,
        ],
        .follow: [
            "follow_add": FollowCommands.add,
            "follow_delete": FollowCommands.delete,
            "follow_get": FollowCommands.get,
            "follow_check": FollowCommands.check,
            "follow_get_info": FollowCommands.getInfo,
        ],
    ]
}

extension Array {
    /// The items in pieces of at most `count`.
    func pieces(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { start in
            Array(self[start..<Swift.min(start + count, self.count)])
        }
    }
}

extension Int64 {
    /// A sequence as clients hold it: in 31 bits.
    var clientSequence: Int64 { self & Int64(Int32.max) }
}

extension TIMResult {
    /// The outcome of a friend's item, under the vendor's code for it.
    init(_ result: FriendResult) {
        self.init(result.userID, Self.code(of: result.code), result.info)
    }

    /// The vendor has one code for the blacklist's own refusals, and says which by the words.
    static func code(of status: FriendStatus?) -> Int {
        switch status ?? .success {
        case .alreadyInBlacklist, .notInBlacklist: 30001
        // A code of profiles, which no list of friends has.
        case .tagNotFound: 30001
        case let status: Int(status.rawValue)
        }
    }
}
