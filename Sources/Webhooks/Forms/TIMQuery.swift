import Digests
import Support

/// The query of a callback in TIM's form, with the signature by which a receiver knows who sent it.
package enum TIMQuery {
    /// The names and values, in TIM's order: `SdkAppid`, `CallbackCommand`, `contenttype`,
    /// `ClientIP`, `OptPlatform`, then `Sign` and `RequestTime` if there is a token.
    ///
    /// - Parameters:
    ///   - appID: The number of the app that the receiver knows.
    ///   - token: The secret that the receiver shares; nil for no signature.
    ///   - seconds: The time of this attempt, since 1970.
    package static func items(
        appID: String, command: String, clientIP: String = "127.0.0.1",
        platform: String = "RESTAPI", token: String?, seconds: Int64
    ) -> [(name: String, value: String)] {
        var items = [
            ("SdkAppid", appID), ("CallbackCommand", command), ("contenttype", "json"),
            ("ClientIP", clientIP), ("OptPlatform", platform),
        ]
        if let token {
            items.append(("Sign", sign(token: token, seconds: seconds)))
            items.append(("RequestTime", String(seconds)))
        }
        return items.map { (name: $0.0, value: $0.1) }
    }

    /// The lower-case hexadecimal SHA-256 of the token and the time.
    static func sign(token: String, seconds: Int64) -> String {
        String(hexadecimal: SHA256.digest(of: Array("\(token)\(seconds)".utf8)))
    }

    /// Whether an answer says that the receiver has taken a callback: 200 with an object of JSON.
    ///
    /// `ActionStatus` and `ErrorCode` of callbacks after a change are not looked at, as TIM does
    /// not. The request must keep the body.
    package static func isTaken(_ answer: WebhookAnswer) -> Bool {
        answer.status == 200 && !answer.isCut && JSONGrammar.isObject(answer.body)
    }
}
