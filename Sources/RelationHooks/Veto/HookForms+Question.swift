import Memory
import Protobuf
import RelationCore
import RelationModel
import Webhooks

extension HookForms {
    /// The request that asks; nil if the form has no such question.
    func question(_ ask: HookAsk, named id: String, at now: Int64) -> HookRequest? {
        if hook.form == .timCallbacks { return timQuestion(ask, named: id, at: now) }
        let prefix = "HOOK_QUESTION_"
        guard let name = ask.question.name, name.hasPrefix(prefix) else { return nil }
        let data: String
        do throws(CodecError) {
            data = try Arena.temporary { (arena) throws(CodecError) in
                try HookAskMessage(ask).json(arena, includesDefaults: true)
            }
        } catch {
            return nil
        }
        let event = CloudEvent(
            id: id, source: "/apps/\(app.id)",
            type: "relation.v1.ask.\(name.dropFirst(prefix.count).lowercased())",
            subject: ask.userID, timeMilliseconds: now, data: Array(data.utf8))
        let body = event.json()
        return HookRequest(
            app: app.id, url: hook.url,
            headers: StandardWebhooks.headers(
                id: id, seconds: now / 1_000, body: body, secrets: signing(at: now)),
            contentType: CloudEvent.contentType, body: body)
    }

    private func timQuestion(_ ask: HookAsk, named id: String, at now: Int64) -> HookRequest? {
        let content: TIMQuestion
        let requester = ask.administrator.isEmpty ? ask.userID : ask.administrator
        switch ask.question {
        case .addFriends:
            let items = ask.items.map { item in
                TIMQuestion.Friend(
                    to: item.userID, remark: item.texts["remark"] ?? "",
                    group: item.groups.first ?? "", source: item.source,
                    wording: item.texts["wording"] ?? "")
            }
            content = .friendAdd(
                requester: requester, from: ask.userID, items, isSingle: ask.addType == .single,
                isForced: ask.isForced, timeMilliseconds: now)
        case .respondToApplications:
            let items = ask.items.map { item in
                TIMQuestion.Response(
                    to: item.userID, remark: item.texts["remark"] ?? "",
                    group: item.groups.first ?? "", action: item.responseType.timWord)
            }
            content = .friendResponse(
                requester: requester, from: ask.userID, items, timeMilliseconds: now)
        default: return nil
        }
        var request = HookRequest(
            app: app.id, url: hook.url, headers: [("webhook-id", id)],
            contentType: TIMCallback.contentType, body: content.json())
        request.query = TIMQuery.items(
            appID: "\(app.id)", command: content.command, token: token(at: now),
            seconds: now / 1_000)
        return request
    }
}

extension FriendResponseType? {
    /// TIM's word for the answer to an application.
    fileprivate var timWord: String {
        switch self {
        case .agreeAndAdd: "Response_Action_AgreeAndAdd"
        case .reject: "Response_Action_Reject"
        default: "Response_Action_Agree"
        }
    }
}
