package import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationCalls
import RelationModel
import Synchronization

/// The faults of a demo: each call may ask for one by the metadata `x-demo-fault`.
///
/// A server that is not a demo has no object of this type: no call of it looks for the metadata.
package final class RequestedFaults: Sendable {
    static let header: StaticString = "x-demo-fault"

    /// How often each counted fault has come, and their names in the order of their beginnings.
    private struct Counts {
        var come: [String: Int] = [:]
        var names: [String] = []
    }

    private let counts = Mutex(Counts())
    /// Why a call with a bad token is refused, by the paths of the calls that take tokens.
    private let tokens: [String: ErrorReason]

    package init() {
        tokens = Dictionary(
            ServiceTable.all.compactMap { call in
                let names = call.request.fields.map(\.name)
                if names.contains("resume_token") { return (call.path, .invalidResumeToken) }
                return names.contains("page_token") ? (call.path, .invalidPageToken) : nil
            }
        ) { first, _ in first }
    }

    /// The decision about a call; nil if it asks for no fault.
    package func verdict(_ call: ServerCall) -> CallVerdict? {
        guard let text = call.metadata(Self.header) else { return nil }
        guard !call.hasSeveralMetadata(Self.header) else { return Self.refused("is given twice") }
        return verdict(text, on: call.path)
    }

    /// The decision about a call that asks for a fault in these words.
    func verdict(_ text: String, on path: String) -> CallVerdict? {
        let fault: RequestedFault
        do throws(RequestedFault.SyntaxError) {
            fault = try RequestedFault(text)
        } catch {
            return Self.refused(error.words)
        }
        let end: CallVerdict.End
        switch fault.end {
        case .pass: end = .pass
        case .cut: end = .cut
        case .status(let code, let reason, let message, let retry):
            end = .fail(Self.error(code, reason, message, retry))
        case .staleToken:
            guard let reason = tokens[path] else {
                return Self.refused("stale-token needs a call that takes a token")
            }
            let field = reason == .invalidPageToken ? "page_token" : "resume_token"
            var violations = Violations()
            violations.add(field, "is stale, as the caller asked", reason: reason)
            end = .fail(violations.error)
        }
        if let count = fault.count, !repeats(count) { return nil }
        return CallVerdict(end, afterMilliseconds: fault.delayMilliseconds)
    }

    /// Counts the fault, and says whether it comes this time too.
    private func repeats(_ count: RequestedFault.Count) -> Bool {
        counts.withLock { counts in
            let come = counts.come[count.name] ?? 0
            guard come < count.times else { return false }
            if come == 0 {
                counts.names.append(count.name)
                if counts.names.count > DemoLimits.names {
                    counts.come[counts.names.removeFirst()] = nil
                }
            }
            counts.come[count.name] = come + 1
            return true
        }
    }

    private static func error(
        _ code: Status.Code, _ reason: ErrorReason?, _ message: String, _ retry: Int64?
    ) -> RPCError {
        guard let reason else { return RPCError(code, message) }
        return RPCError(code, reason, message, retry.map { .retryAfter(milliseconds: $0) })
    }

    private static func refused(_ words: String) -> CallVerdict {
        var violations = Violations()
        violations.add("\(header)", words)
        return CallVerdict(.fail(violations.error))
    }
}
