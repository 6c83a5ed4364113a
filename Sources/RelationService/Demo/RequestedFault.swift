import Protobuf
import RPC
import RelationCalls
import RelationModel

/// A fault that the caller of a demo asks for, in the metadata `x-demo-fault`.
///
/// The text has parts with semicolons between them: `code=UNAVAILABLE; reason=OVERLOADED;
/// delay-ms=200`.
struct RequestedFault: Equatable {
    /// Why a text asks for no fault, in words that follow the name of the metadata.
    struct SyntaxError: Error, Equatable {
        let words: String

        init(_ words: String) { self.words = words }
    }

    /// The fate of the call after the delay.
    enum End: Equatable {
        case pass
        case status(Status.Code, reason: ErrorReason?, message: String, retryMilliseconds: Int64?)
        /// The connection is reset.
        case cut
        /// The token that the call shows is refused.
        case staleToken
    }

    /// A fault that comes so often, and then no more.
    struct Count: Equatable {
        let name: String
        let times: Int
    }

    var delayMilliseconds: Int64 = 0
    var end = End.pass
    /// How often it comes; nil for each time.
    var count: Count?

    /// Reads the text of the metadata.
    init(_ text: String) throws(SyntaxError) {
        guard text.utf8.count <= DemoLimits.faultBytes else {
            throw SyntaxError("has at most \(DemoLimits.faultBytes) bytes")
        }
        var parts = try Self.parts(of: text)
        if let delay = parts.removeValue(forKey: "delay-ms") {
            delayMilliseconds = try Self.number(
                delay, "delay-ms", 1...DemoLimits.delayMilliseconds)
        }
        count = try Self.count(&parts)
        end = try Self.end(&parts)
        if let other = parts.keys.min() {
            guard Self.ofCode.contains(other) else { throw SyntaxError("knows no \(other)") }
            throw SyntaxError("\(other) needs code")
        }
        guard end != .pass || delayMilliseconds > 0 else {
            throw SyntaxError("needs code, delay-ms, cut or stale-token")
        }
    }

    /// The parts that say more of a code.
    private static let ofCode: Set = ["reason", "message", "retry-ms"]

    /// The words that take no value.
    private static let words: Set = ["cut", "stale-token"]

    private static func parts(of text: String) throws(SyntaxError) -> [String: String] {
        var parts: [String: String] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmed }
            let key = pair.first ?? ""
            // A text may end in a semicolon.
            if key.isEmpty, pair.count == 1 { continue }
            guard !key.isEmpty else { throw SyntaxError("has a value without a name") }
            guard words.contains(key) == (pair.count == 1) else {
                throw SyntaxError(
                    words.contains(key) ? "\(key) takes no value" : "\(key.echoed) takes a value")
            }
            guard parts.updateValue(pair.last ?? "", forKey: key.echoed) == nil else {
                throw SyntaxError("has \(key.echoed) twice")
            }
        }
        return parts
    }

    private static func count(_ parts: inout [String: String]) throws(SyntaxError) -> Count? {
        let (times, name) = (
            parts.removeValue(forKey: "times"), parts.removeValue(forKey: "name")
        )
        guard times != nil || name != nil else { return nil }
        guard let times, let name else { throw SyntaxError("times and name need each other") }
        guard (1...DemoLimits.nameBytes).contains(name.utf8.count) else {
            throw SyntaxError("name has 1 to \(DemoLimits.nameBytes) bytes")
        }
        return Count(
            name: name, times: Int(try number(times, "times", 1...Int64(DemoLimits.times))))
    }

    private static func end(_ parts: inout [String: String]) throws(SyntaxError) -> End {
        let given = ["code", "cut", "stale-token"].filter { parts[$0] != nil }
        guard given.count <= 1 else {
            throw SyntaxError(given.joined(separator: " and ") + " exclude each other")
        }
        if parts.removeValue(forKey: "cut") != nil { return .cut }
        if parts.removeValue(forKey: "stale-token") != nil { return .staleToken }
        guard let name = parts.removeValue(forKey: "code") else { return .pass }
        guard let code = Status.Code.allCases.first(where: { $0.description == name }),
            code != .ok
        else { throw SyntaxError("code takes a code of gRPC but OK, and not \(name.echoed)") }
        var retry: Int64?
        if let text = parts.removeValue(forKey: "retry-ms") {
            retry = try number(text, "retry-ms", 0...DemoLimits.retryMilliseconds)
        }
        var reason: ErrorReason?
        if let name = parts.removeValue(forKey: "reason") { reason = try self.reason(name) }
        guard retry == nil || reason != nil else { throw SyntaxError("retry-ms needs reason") }
        return .status(
            code, reason: reason,
            message: parts.removeValue(forKey: "message") ?? "the caller asked for this fault",
            retryMilliseconds: retry)
    }

    /// The reason of that name, with or without its prefix.
    private static func reason(_ name: String) throws(SyntaxError) -> ErrorReason {
        let full = name.hasPrefix("ERROR_REASON_") ? name : "ERROR_REASON_" + name
        guard let number = ErrorReason.schema.number(named: full), number != 0 else {
            throw SyntaxError("reason takes an ErrorReason, and not \(name.echoed)")
        }
        return ErrorReason(rawValue: number)
    }

    private static func number(
        _ text: String, _ name: String, _ range: ClosedRange<Int64>
    ) throws(SyntaxError) -> Int64 {
        // Swift's own parser would accept a sign too.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            range.contains(number)
        else {
            throw SyntaxError("\(name) takes \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }
        return end.map { String(start[...$0]) } ?? ""
    }

    /// The text as an error repeats it.
    fileprivate var echoed: String { String(self).echoed(atMost: 64) }
}
