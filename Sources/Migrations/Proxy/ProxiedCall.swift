import Protobuf

/// A request of TIM's REST API on its way through a proxy.
struct ProxiedCall: Sendable {
    /// The path and the query, which has the signature: it is shown to the two systems alone.
    let target: String
    let body: [UInt8]

    /// The command, as `sns/friend_add`; nil for another path.
    var command: String? {
        let path = target.prefix { $0 != "?" }
        guard path.hasPrefix(Self.root), path.utf8.count > Self.root.utf8.count else { return nil }
        return String(path.dropFirst(Self.root.count))
    }

    private static let root = "/v4/"

    /// Whether the command changes nothing.
    var isRead: Bool { command.map(Self.reads.contains) ?? false }

    private static let reads: Set<String> = [
        "sns/friend_check", "sns/friend_get", "sns/friend_get_list", "sns/black_list_get",
        "sns/black_list_check", "sns/group_get", "profile/portrait_get",
        "im_open_login_svc/account_check", "openim/query_online_status", "openim/querystate",
        "follow/follow_get", "follow/follow_check", "follow/follow_get_info",
    ]

    /// The user that acts, or else the first one that is asked about.
    func user(in request: AnswerObject?) -> String {
        guard let request else { return "" }
        for name in ["From_Account", "UserID", "Identifier"] {
            let user = request.text(name)
            if !user.isEmpty { return user }
        }
        return request["To_Account"].flatMap(AnswerObject.texts)?.first ?? ""
    }
}
