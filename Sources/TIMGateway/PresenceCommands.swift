import Protobuf
import RPC
import RelationAPI
import RelationModel

/// The commands of `openim` that are about presence.
enum PresenceCommands {
    static func query(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        try await query(request, status: "Status")
    }

    /// As `query`, under the older path, whose answers spell one member another way.
    static func queryState(_ request: TIMRequest) async throws(TIMError) -> TIMAnswer {
        try await query(request, status: "State")
    }

    private static func query(
        _ request: TIMRequest, status: String
    ) async throws(TIMError) -> TIMAnswer {
        var message = GetPresenceRequest()
        message.unmasked = true
        message.userIDs = try users(request.body)
        let hasDetail = try request.body.numberIfAny("IsNeedDetail") == 1
        let answer = try await request.calls.call(PresenceMethods.getPresence, message)
        var found: [JSONValue] = []
        var errors: [JSONValue] = []
        for result in answer.results {
            guard let presence = result.presence, (result.code ?? .success) == .success else {
                errors.append(
                    .object([
                        ("To_Account", .string(result.userID)), ("ErrorCode", .whole(70107)),
                    ]))
                continue
            }
            var members: [TIMAnswer.Member] = [
                ("To_Account", .string(result.userID)),
                (status, .string(presence.online ? "Online" : "Offline")),
            ]
            let devices = presence.devices.filter(\.online)
            if hasDetail, !devices.isEmpty {
                let shown = devices.map { device in
                    JSONValue.object([
                        ("Platform", .string(platform(of: device))), ("Status", .string("Online")),
                    ])
                }
                members.append(("Detail", .array(shown)))
            }
            found.append(.object(members))
        }
        guard !found.isEmpty else { throw TIMError(70107, TIMError.noAccount, .notFound) }
        var shown = TIMAnswer([("QueryResult", .array(found))])
        if !errors.isEmpty { shown.add("ErrorList", .array(errors)) }
        return shown
    }

    /// The platform as it was reported; the vendor's word for one that was not.
    private static func platform(of device: DevicePresence) -> String {
        device.platform.isEmpty ? "Unknown" : device.platform
    }

    /// - Throws: 90001 for no users, 90003 for a list of other things, 90011 for too many.
    private static func users(_ body: TIMBody) throws(TIMError) -> [String] {
        guard case .array(let list) = body.value("To_Account"), !list.isEmpty else {
            throw TIMError(90001, "To_Account is not a list with users")
        }
        var users: [String] = []
        for case .string(let user) in list { users.append(user) }
        guard users.count == list.count else {
            throw TIMError(90003, "To_Account is not a list of strings")
        }
        guard users.count <= TIMLimits.presenceUsers else {
            throw TIMError(90011, "To_Account has more than \(TIMLimits.presenceUsers) users")
        }
        return users
    }
}
