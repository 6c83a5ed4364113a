import Protobuf
import Support

/// The calls of TIM's REST API, within a rate, each made again after a fault that may pass.
package actor TIMRequests {
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

    private let client: PostClient
    private let query: String
    private var pace: CallPace
    private let begin = ContinuousClock.now
    /// The calls so far, with those that were made again.
    package private(set) var count = 0
    /// The calls that were made again.
    package private(set) var repeated = 0

    /// - Parameter rate: Calls a second.
    package init(_ access: Access, rate: Int) throws(MigrationFault) {
        client = try PostClient(access.origin)
        pace = CallPace(rate: rate)
        query =
            "sdkappid=\(access.app)&identifier=\(Self.escaped(access.administrator))"
            + "&usersig=\(Self.escaped(access.signature))&contenttype=json"
    }

    package func close() async {
        await client.close()
    }

    /// The answer of a command, whose `ErrorCode` is 0 or one of `allowed`.
    ///
    /// - Parameter body: An object of JSON.
    /// - Throws: ``MigrationFault`` if TIM refuses the call, or gives no answer however often it is
    ///   asked.
    func answer(
        _ command: String, _ body: String, allowing allowed: Set<Int64> = []
    ) async throws -> TIMObject {
        var last = ""
        for attempt in 0..<MigrationLimits.attempts {
            if attempt > 0 {
                repeated += 1
                let wait = min(1 << (attempt - 1), MigrationLimits.longestWaitSeconds)
                try await Task.sleep(for: .seconds(wait))
            }
            try await takeTurn()
            let target =
                "/v4/\(command)?\(query)&random=\(UInt32.random(in: 0 ... .max))"
            let answer: PostAnswer
            do {
                answer = try await client.post(target, Array(body.utf8))
            } catch {
                try Task.checkCancellation()
                last = "\(error)"
                continue
            }
            guard answer.status == 200 else {
                last = "the status is \(answer.status)"
                continue
            }
            guard let object = TIMObject(json: answer.body), let code = object.number("ErrorCode")
            else {
                last = "the answer is no object with an ErrorCode"
                continue
            }
            if code == 0 || allowed.contains(code) { return object }
            let words = object.text("ErrorInfo").prefix(MigrationLimits.shownBytes)
            last = "\(code) \(words)"
            guard Self.mayPass.contains(code) else {
                throw MigrationFault("\(command) is refused: \(last)")
            }
            if Self.ofRate.contains(code) {
                pace.hold(until: ContinuousClock.now - begin + .seconds(1))
            }
        }
        throw MigrationFault(
            "\(command) has no answer after \(MigrationLimits.attempts) calls: \(last)")
    }

    private func takeTurn() async throws {
        count += 1
        let now = ContinuousClock.now - begin
        let moment = pace.moment(at: now)
        if moment > now { try await Task.sleep(for: moment - now) }
    }

    /// Codes of a rate.
    private static let ofRate: Set<Int64> = [60007, 60011, 60018, 60019]

    /// Codes after which the same call may succeed: a rate, a time-out, a fault of the server.
    private static let mayPass: Set<Int64> = ofRate.union([
        60008, 60013, 60014, 30006, 30007, 30008, 40006, 70169, 70202, 70500, 90992, 90994, 90995,
        91000,
    ])

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "*"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += "%" + String(hexadecimal: [byte])
            }
        }
        return escaped
    }
}
