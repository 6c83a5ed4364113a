import NIOCore
import NIOHTTP1

/// A request on its way, with the caller who waits for its answer; it belongs to the sender's loop.
final class WebhookExchange {
    let id: UInt64
    let endpoint: WebhookEndpoint
    let head: HTTPRequestHead
    let body: [UInt8]
    let keepsBody: Int
    let deadline: NIODeadline
    /// The part of the way on which it is.
    var phase = WebhookFailure.Phase.waiting
    /// Whether it goes out for the second time.
    var isRepeated = false
    /// The connection that has it, or is made for it.
    var connection: WebhookConnection?
    var timer: Scheduled<Void>?
    private var promise: EventLoopPromise<WebhookAnswer>?

    init(
        _ id: UInt64, _ request: PreparedRequest, deadline: NIODeadline,
        _ promise: EventLoopPromise<WebhookAnswer>
    ) {
        self.id = id
        endpoint = request.endpoint
        head = request.head
        body = request.body
        keepsBody = request.keepsBody
        self.deadline = deadline
        self.promise = promise
    }

    /// Whether the caller has its answer.
    var isDone: Bool { promise == nil }

    func finish(_ result: Result<WebhookAnswer, WebhookFailure>) {
        timer?.cancel()
        timer = nil
        connection = nil
        let promise = promise
        self.promise = nil
        switch result {
        case .success(let answer): promise?.succeed(answer)
        case .failure(let failure): promise?.fail(failure)
        }
    }
}

/// A request whose parts have been checked.
struct PreparedRequest: Sendable {
    private static let ownHeaders: Set = [
        "host", "content-length", "content-type", "user-agent", "connection", "transfer-encoding",
        "te", "upgrade", "trailer", "expect", "proxy-authorization", "accept-encoding", "accept",
    ]

    let endpoint: WebhookEndpoint
    let head: HTTPRequestHead
    let body: [UInt8]
    let keepsBody: Int

    init(_ request: WebhookRequest, userAgent: String) throws(WebhookFailure) {
        endpoint = request.endpoint
        body = request.body
        keepsBody = min(max(0, request.keepsBody), WebhookLimits.keptBodyBytes)
        var headers = HTTPHeaders([
            ("host", endpoint.url.authority), ("user-agent", userAgent),
            ("content-type", request.contentType), ("content-length", "\(request.body.count)"),
            ("accept", "*/*"),
        ])
        for (name, value) in request.headers {
            guard Self.isToken(name), !Self.ownHeaders.contains(name) else { throw .badRequest }
            headers.add(name: name, value: value)
        }
        let values = headers.map(\.value)
        let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard values.allSatisfy(Self.isValue), bytes <= WebhookLimits.requestHeaderBytes else {
            throw .badRequest
        }
        var target = endpoint.url.target
        for (name, value) in request.query {
            target += target.contains("?") ? "&" : "?"
            target += Self.escaped(name) + "=" + Self.escaped(value)
        }
        guard target.utf8.count <= WebhookLimits.requestHeaderBytes else { throw .badRequest }
        head = HTTPRequestHead(version: .http1_1, method: .POST, uri: target, headers: headers)
    }

    /// Whether a text may be the name of a header, in lower case.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                isLetterOrDigit(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether a text may be the value of a header: visible ASCII with blanks between.
    private static func isValue(_ value: String) -> Bool {
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && value.utf8.first != 0x20
            && value.utf8.last != 0x20
    }

    /// The text with all escaped but letters, digits and `-._~`.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if isLetterOrDigit(byte) || "-._~".utf8.contains(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }
}
