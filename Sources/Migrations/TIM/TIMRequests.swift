/// The calls of TIM's REST API, within a rate, each made again after an error that may pass.
package struct TIMRequests: Sendable {
    /// Where and as whom calls are made.
    package struct Access: Sendable {
        package let origin: PostOrigin
        package let app: UInt32
        package let administrator: String
        package let signature: String

        package init(
            _ origin: PostOrigin, app: UInt32, administrator: String, signature: String
        ) {
            (self.origin, self.app) = (origin, app)
            (self.administrator, self.signature) = (administrator, signature)
        }
    }

    /// Sends the body of a call to its target.
    typealias Post = @Sendable (_ target: String, _ body: [UInt8]) async throws -> PostAnswer

    private let post: Post
    private let end: @Sendable () async -> Void
    private let calls: PacedCalls
    private let query: String
    /// The system that is asked, after the name of a call in errors; empty for none.
    private let system: String

    /// The calls so far, with those that were made again.
    package var count: Int { get async { await calls.count } }
    /// The calls that were made again.
    package var repeated: Int { get async { await calls.repeated } }

    /// - Parameter rate: Calls a second.
    package init(_ access: Access, rate: Int) throws(MigrationError) {
        let client = try PostClient(access.origin)
        let query = FormText.text([
            ("sdkappid", "\(access.app)"), ("identifier", access.administrator),
            ("usersig", access.signature), ("contenttype", "json"),
        ])
        self.init(
            query, PacedCalls(rate: rate), of: " of \(access.origin.authority)",
            post: { try await client.post($0, $1) }, end: { await client.close() })
    }

    /// - Parameters:
    ///   - system: The system that is asked, after the name of a call in errors.
    ///   - end: Called when no more calls are made.
    init(
        _ query: String, _ calls: PacedCalls, of system: String = "", post: @escaping Post,
        end: @escaping @Sendable () async -> Void = {}
    ) {
        (self.query, self.calls, self.post, self.end) = (query, calls, post, end)
        self.system = system
    }

    package func close() async {
        await end()
    }

    /// The answer of a command, whose `ErrorCode` is 0 or one of `allowed`.
    ///
    /// - Parameter body: An object of JSON.
    /// - Throws: ``MigrationError`` if TIM refuses the call, or gives no answer however often it is
    ///   asked.
    func answer(
        _ command: String, _ body: String, allowing allowed: Set<Int64> = []
    ) async throws -> AnswerObject {
        try await calls.answer(to: command + system) {
            let target = "/v4/\(command)?\(query)&random=\(UInt32.random(in: 0 ... .max))"
            return try Self.object(
                try await post(target, Array(body.utf8)), allowing: allowed)
        }
    }

    /// The answer of a command about several users, asked for again while a `ResultCode` of an
    /// item says that the same call may succeed.
    ///
    /// - Parameter items: The list of the items, which may still have such codes at the end.
    func answer(
        _ command: String, _ body: String, items: String, allowing allowed: Set<Int64> = []
    ) async throws -> AnswerObject {
        var found = try await answer(command, body, allowing: allowed)
        for attempt in 1..<MigrationLimits.itemAttempts where Self.mayPass(found, items) {
            try await calls.wait(seconds: 1 << (attempt - 1))
            found = try await answer(command, body, allowing: allowed)
        }
        return found
    }

    private static func mayPass(_ answer: AnswerObject, _ items: String) -> Bool {
        (answer.objects(items) ?? []).contains { item in
            let code = item.number("ResultCode") ?? 0
            return mayPass.contains(code) || ofRate.contains(code)
        }
    }

    private static func object(
        _ answer: PostAnswer, allowing allowed: Set<Int64>
    ) throws(AttemptError) -> AnswerObject {
        guard answer.status == 200 else {
            throw .passing("the status is \(answer.status)")
        }
        guard let object = AnswerObject(json: answer.body), let code = object.number("ErrorCode")
        else { throw .passing("the answer is not an object with an ErrorCode") }
        if code == 0 || allowed.contains(code) { return object }
        let words = "\(code) \(object.text("ErrorInfo").prefix(MigrationLimits.shownBytes))"
        if ofRate.contains(code) { throw .throttled(words) }
        throw mayPass.contains(code) ? .passing(words) : .refused(words)
    }

    /// Codes of a rate.
    private static let ofRate: Set<Int64> = [60007, 60011, 60018, 60019]

    /// Codes after which the same call may succeed: a time-out, an error of the server.
    private static let mayPass: Set<Int64> = [
        60008, 60013, 60014, 30006, 30007, 30008, 40006, 70169, 70202, 70500, 90992, 90994, 90995,
        91000,
    ]
}
