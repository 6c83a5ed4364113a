import GRPC
package import Protobuf
package import RPC
import RelationCore
package import RelationModel

/// The bad fields of one request, each with the rule that it breaks.
package struct Violations {
    /// The parts of the error, which are in one object: most requests have none.
    private struct Found {
        var fields: [BadRequest.FieldViolation] = []
        var reason = ErrorReason.invalidField
        /// The numbers that belong to the reason, if it has any.
        var metadata: [String: String] = [:]
        /// An error that belongs to no field, such as a missing scope: it replaces those of the
        /// fields.
        var refusal: RPCError?
    }

    private indirect enum Content {
        case nothing
        case some(Found)
    }

    private var content = Content.nothing

    private var found: Found {
        get { if case .some(let found) = content { found } else { Found() } }
        set { content = .some(newValue) }
    }

    package init() {}

    package var isEmpty: Bool {
        if case .nothing = content { true } else { false }
    }

    /// The first bad field, with its rule.
    package var first: (field: String, rule: String)? {
        found.fields.first.map { ($0.field, $0.description) }
    }

    package mutating func refuse(_ error: RPCError) {
        var found = found
        found.refusal = found.refusal ?? error
        self.found = found
    }

    package mutating func add(
        _ field: String, _ rule: String, reason: ErrorReason = .invalidField,
        metadata: [String: String] = [:]
    ) {
        var found = found
        if found.fields.isEmpty { (found.reason, found.metadata) = (reason, metadata) }
        guard found.fields.count < AnswerLimits.violations else { return }
        found.fields.append(BadRequest.FieldViolation(field: field, description: rule))
        self.found = found
    }

    /// The whole list as one error.
    package var error: RPCError {
        let found = found
        if let refusal = found.refusal { return refusal }
        let text = found.fields.map { "\($0.field): \($0.description)" }.joined(separator: "; ")
        return RPCError(
            .invalidArgument, found.reason, text, metadata: found.metadata,
            .badRequest(found.fields))
    }

    // MARK: The rules that many fields share

    /// The user that `text` names; adds a violation and returns nil if the text is malformed.
    package mutating func user(_ text: String, _ field: String) -> UserID? {
        if let user = UserID(text) { return user }
        add(field, "must be 1 to 64 bytes of printable ASCII without a space at either end")
        return nil
    }

    package mutating func count(_ count: Int, _ field: String, _ limits: ClosedRange<Int>) {
        guard !limits.contains(count) else { return }
        let rule = "has \(count) items; \(limits.lowerBound) to \(limits.upperBound) may be sent"
        guard count > limits.upperBound else { return add(field, rule) }
        add(
            field, rule, reason: .tooManyItems,
            metadata: ["limit": "\(limits.upperBound)", "actual": "\(count)"])
    }

    package mutating func length(_ text: String, _ field: String, atMost limit: Int) {
        guard text.utf8.count > limit else { return }
        add(field, "is \(text.utf8.count) bytes long; at most \(limit) are allowed")
    }

    package mutating func known<E: OpenEnum>(_ value: E, _ field: String) {
        guard !value.isKnown else { return }
        add(field, "\(value.rawValue) is not a value of \(E.schema.fullName)")
    }
}
