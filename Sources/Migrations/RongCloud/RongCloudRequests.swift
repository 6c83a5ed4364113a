import Compression
import Support

/// The calls of RongCloud's server API, within a rate, each made again after an error that may
/// pass.
package struct RongCloudRequests: Sendable {
    /// Where and as which app calls are made.
    package struct Access: Sendable {
        package let origins: [PostOrigin]
        package let app: String
        package let secret: String

        /// - Parameter origins: The host, and those that take its place if it does not answer.
        package init(_ origins: [PostOrigin], app: String, secret: String) {
            (self.origins, self.app, self.secret) = (origins, app, secret)
        }
    }

    /// Sends the body of a call, with its headers, to its path.
    typealias Post =
        @Sendable (
            _ path: String, _ body: [UInt8], _ headers: [(String, String)]
        ) async throws -> PostAnswer

    private let access: Access
    private let post: Post
    private let end: @Sendable () async -> Void
    private let calls: PacedCalls
    private let seconds: @Sendable () -> Int64

    /// The calls so far, with those that were made again.
    package var count: Int { get async { await calls.count } }
    /// The calls that were made again.
    package var repeated: Int { get async { await calls.repeated } }

    /// - Parameters:
    ///   - rate: Calls a second.
    ///   - seconds: The time since 1970.
    package init(
        _ access: Access, rate: Int,
        seconds: @escaping @Sendable () -> Int64 = { SystemClock.wall.milliseconds / 1_000 }
    ) throws(MigrationError) {
        let hosts = try PostHosts(access.origins)
        self.init(
            access, PacedCalls(rate: rate), seconds: seconds,
            post: { path, body, headers in
                try await hosts.post(
                    path, body, as: "application/x-www-form-urlencoded", headers: headers)
            }, end: { await hosts.close() })
    }

    /// - Parameter end: Called when no more calls are made.
    init(
        _ access: Access, _ calls: PacedCalls, seconds: @escaping @Sendable () -> Int64,
        post: @escaping Post, end: @escaping @Sendable () async -> Void = {}
    ) {
        (self.access, self.calls, self.seconds) = (access, calls, seconds)
        (self.post, self.end) = (post, end)
    }

    package func close() async {
        await end()
    }

    /// The answer to a call.
    ///
    /// - Parameters:
    ///   - path: The path without its ending.
    ///   - form: The names and the values of the body.
    ///   - isOfUser: Whether an answer that the user cannot be read is an answer too.
    /// - Throws: ``MigrationError`` if RongCloud refuses the call, or gives no answer however often
    ///   it is asked.
    func answer(
        _ path: String, _ form: [(String, String)], isOfUser: Bool = false
    ) async throws -> AnswerObject {
        let body = Array(FormText.text(form).utf8)
        return try await calls.answer(to: path) {
            let nonce = String(UInt64.random(in: 0 ... .max))
            let time = seconds()
            let signature = RongCloudSignature.text(
                secret: access.secret, nonce: nonce, seconds: time)
            let answer = try await post(
                "/\(path).json", body,
                [
                    ("App-Key", access.app), ("Nonce", nonce), ("Timestamp", "\(time)"),
                    ("Signature", signature),
                ])
            return try Self.object(answer, isOfUser: isOfUser)
        }
    }

    static func object(_ answer: PostAnswer, isOfUser: Bool) throws(AttemptError) -> AnswerObject {
        let object = AnswerObject(json: try expanded(answer.body))
        let code = object?.number("code") ?? 0
        let message = object?.text("errorMessage") ?? ""
        let reason = message.isEmpty ? object?.text("msg") ?? "" : message
        let words = "\(code) \(reason.prefix(MigrationLimits.shownBytes))"
        if answer.status == 429 || code == tooFast { throw .throttled(words) }
        guard let object, code != 0 else {
            throw .passing("the status is \(answer.status), and the answer has no code")
        }
        if answer.status == 200, done.contains(code) { return object }
        if answer.status >= 500 || mayPass.contains(code) || done.contains(code) {
            throw .passing(words)
        }
        if isOfUser, code >= MigrationLimits.rongCloudUserCodes { return object }
        let hint = code == notEnabled ? ", which the app has not enabled" : ""
        throw .refused(words + hint)
    }

    /// Codes of success: that of the older calls, and that of the newer ones.
    static let done: Set<Int64> = [200, 10_000]
    private static let tooFast: Int64 = 1_008
    private static let notEnabled: Int64 = 1_009
    /// Codes of errors of the server, and of its time-outs.
    private static let mayPass: Set<Int64> = [1_000, 1_050]

    /// The bytes of an answer, which may be packed although no header has asked for that.
    private static func expanded(_ body: [UInt8]) throws(AttemptError) -> [UInt8] {
        guard body.starts(with: [0x1f, 0x8b]) else { return body }
        let inflater = Inflater()
        // The expanded bytes are its own until they are copied.
        defer { withExtendedLifetime(inflater) {} }
        do {
            return try body.withUnsafeBytes { bytes in
                Array(
                    try inflater.inflate(bytes, .gzip, limit: MigrationLimits.answerBytes))
            }
        } catch {
            throw .passing("the answer is packed wrongly")
        }
    }
}
