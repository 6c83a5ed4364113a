import RelationAPI
package import RelationCore
import RelationModel

/// Questions by gRPC to hooks of that form, and by HTTP to all others.
package struct AnyHookTransport: HookTransport {
    private let http: HTTPHookTransport
    private let asker: ReceiverAsker

    package init(_ http: HTTPHookTransport, _ asker: ReceiverAsker) {
        self.http = http
        self.asker = asker
    }

    package func ask(
        _ ask: HookAsk, of hook: HookRecord, in app: App, named id: String, at now: Int64,
        within milliseconds: Int64, _ done: @escaping @Sendable (HookSaid) -> Void
    ) {
        guard hook.form == .grpc else {
            return http.ask(
                ask, of: hook, in: app, named: id, at: now, within: milliseconds, done)
        }
        guard let question = AskRequest(ask, named: id) else {
            return done(.silence(cause: "the question has no form", status: 0))
        }
        asker.ask(question, of: hook, in: app, at: now, within: milliseconds) { end in
            switch end {
            case .silence(let cause, let status): done(.silence(cause: cause, status: status))
            case .answer(let answer):
                do throws(HookAnswerError) {
                    done(.answer(try HookVerdict.read(HookSaidMessage(answer), to: ask)))
                } catch {
                    done(.silence(cause: error.cause, status: 0))
                }
            }
        }
    }
}

extension AskRequest {
    /// Nil if the contract has no call of that kind.
    fileprivate init?(_ ask: HookAsk, named id: String) {
        guard let path = ask.question.path else { return nil }
        self.init()
        self.id = id
        call = path
        userID = ask.userID
        dryRun = ask.isDryRun
        requestID = ask.requestID
        ownCredential = ask.isOwn
        administrator = ask.administrator
        addType = ask.addType
        force = ask.isForced
        items = ask.items.map { item in
            var copy = AskItem()
            copy.userID = item.userID
            copy.texts = item.texts
            copy.source = item.source
            copy.groups = item.groups
            copy.responseType = item.responseType
            copy.fields = item.fields
            return copy
        }
    }
}

extension HookQuestion {
    fileprivate var path: String? {
        switch self {
        case .addFriends: "relation.v1.FriendService/AddFriends"
        case .respondToApplications: "relation.v1.FriendApplicationService/RespondToApplications"
        case .updateProfile: "relation.v1.ProfileService/UpdateProfile"
        case .follow: "relation.v1.FollowService/Follow"
        case .addToBlacklist: "relation.v1.BlacklistService/AddToBlacklist"
        case .updateFriends: "relation.v1.FriendService/UpdateFriends"
        default: nil
        }
    }
}

extension HookSaidMessage {
    fileprivate init(_ answer: AskResponse) {
        self.init()
        code = answer.code
        info = answer.info
        items = answer.items.map { item in
            var copy = HookSaidItemMessage()
            copy.index = item.index
            copy.code = item.code
            copy.info = item.info
            copy.texts = item.texts
            return copy
        }
    }
}
