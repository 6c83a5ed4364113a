import Protobuf

/// A callback before a change, with the names and the order of fields that TIM's have.
package enum TIMQuestion: Sendable, Equatable {
    /// A user to add.
    package struct Friend: Sendable, Equatable {
        package var to: String
        package var remark: String
        package var group: String
        package var source: String
        package var wording: String

        package init(to: String, remark: String, group: String, source: String, wording: String) {
            self.to = to
            self.remark = remark
            self.group = group
            self.source = source
            self.wording = wording
        }
    }

    /// The answer to an application.
    package struct Response: Sendable, Equatable {
        package var to: String
        package var remark: String
        package var group: String
        /// TIM's word, such as `Response_Action_Agree`.
        package var action: String

        package init(to: String, remark: String, group: String, action: String) {
            self.to = to
            self.remark = remark
            self.group = group
            self.action = action
        }
    }

    /// The receiver's words about one user.
    package struct Result: Sendable, Equatable {
        package var to: String
        package var code: Int64
        package var info: String
    }

    /// - Parameter requester: The one who called: the user itself, or an administrator.
    case friendAdd(
        requester: String, from: String, [Friend], isSingle: Bool, isForced: Bool,
        timeMilliseconds: Int64)
    case friendResponse(
        requester: String, from: String, [Response], timeMilliseconds: Int64)

    /// The name, such as `Sns.CallbackPrevFriendAdd`.
    package var command: String {
        switch self {
        case .friendAdd: "Sns.CallbackPrevFriendAdd"
        case .friendResponse: "Sns.CallbackPrevFriendResponse"
        }
    }

    /// The body as JSON.
    package func json() -> [UInt8] {
        var text = "{\"CallbackCommand\":\(JSONQuote.text(command))"
        switch self {
        case .friendAdd(let caller, let from, let friends, let isSingle, let isForced, let time):
            text += Self.callers(caller, from)
            text += Self.list("FriendItem", friends.map(\.json))
            text += ",\"AddType\":\"Add_Type_\(isSingle ? "Single" : "Both")\""
            text += ",\"ForceAddFlags\":\(isForced ? 1 : 0),\"EventTime\":\(time)}"
        case .friendResponse(let caller, let from, let responses, let time):
            text += Self.callers(caller, from)
            text += Self.list("ResponseFriendItem", responses.map(\.json))
            text += ",\"EventTime\":\(time)}"
        }
        return Array(text.utf8)
    }

    private static func callers(_ requester: String, _ user: String) -> String {
        let (caller, name) = (JSONQuote.text(requester), JSONQuote.text(user))
        return ",\"Requester_Account\":\(caller),\"From_Account\":\(name)"
    }

    private static func list(_ name: String, _ objects: [String]) -> String {
        ",\"\(name)\":[\(objects.joined(separator: ","))]"
    }

    /// The `ResultItem` of an answer; nil if the body is not an object with TIM's members.
    ///
    /// An answer without `ResultItem` has results of no user.
    package static func results(of body: [UInt8]) -> [Result]? {
        guard let text = String(validating: body, as: UTF8.self),
            case .object(let members)? = try? JSONValue(parsing: text)
        else { return nil }
        guard let list = members.first(where: { $0.key == "ResultItem" })?.value else { return [] }
        guard case .array(let items) = list else { return nil }
        var results: [Result] = []
        for item in items {
            guard case .object(let members) = item else { return nil }
            var result = Result(to: "", code: 0, info: "")
            var hasUser = false
            var hasCode = false
            for (key, value) in members {
                switch (key, value) {
                case ("To_Account", .string(let user)): (result.to, hasUser) = (user, true)
                case ("ResultCode", .number(let number)):
                    guard let code = Int64(number) else { return nil }
                    (result.code, hasCode) = (code, true)
                case ("ResultInfo", .string(let info)): result.info = info
                case ("To_Account", _), ("ResultCode", _), ("ResultInfo", _): return nil
                default: break
                }
            }
            guard hasUser, hasCode else { return nil }
            results.append(result)
        }
        return results
    }
}

extension TIMQuestion.Friend {
    fileprivate var json: String {
        "{\"To_Account\":\(JSONQuote.text(to)),\"Remark\":\(JSONQuote.text(remark)),"
            + "\"GroupName\":\(JSONQuote.text(group)),\"AddSource\":\(JSONQuote.text(source)),"
            + "\"AddWording\":\(JSONQuote.text(wording))}"
    }
}

extension TIMQuestion.Response {
    fileprivate var json: String {
        "{\"To_Account\":\(JSONQuote.text(to)),\"Remark\":\(JSONQuote.text(remark)),"
            + "\"TagName\":\(JSONQuote.text(group)),"
            + "\"ResponseAction\":\(JSONQuote.text(action))}"
    }
}
