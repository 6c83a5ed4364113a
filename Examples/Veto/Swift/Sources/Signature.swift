import Crypto
import FlyingFox
import Foundation

/// The key that the environment names as `SECRET`: `whsec_` and its bytes in base64.
private let key = SymmetricKey(
    data: Data(
        base64Encoded: String((ProcessInfo.processInfo.environment["SECRET"] ?? "").dropFirst(6)))
        ?? Data())

/// Whether one of a request's signatures is made with the key.
func isSigned(_ request: HTTPRequest, _ body: Data) -> Bool {
    func header(_ name: String) -> String { request.headers[HTTPHeader(name)] ?? "" }
    let signed = Data("\(header("webhook-id")).\(header("webhook-timestamp")).".utf8) + body
    return header("webhook-signature").split(separator: " ").contains { signature in
        let code = Data(base64Encoded: String(signature.dropFirst(3))) ?? Data()
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: key)
    }
}
