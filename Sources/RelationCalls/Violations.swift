import GRPC
package import Protobuf
package import RPC
import RelationCore
package import RelationModel

/// The bad fields of one request, each with the rule that it breaks.
package struct Violations {
    private var fields: [BadRequest.FieldViolation] = []
    private var reason = ErrorReason.invalidField
    /// The numbers that belong to the reason, if it has any.
    private var metadata: [String: String] = [:]
    /// An error that belongs to no field, such as a missing scope: it replaces those of the fields.
    private var refusal: RPCError?

    package init() {}

    package var isEmpty: Bool {
        // A comparison with nil would copy the error.
        guard fields.isEmpty, case .none = refusal else { return false }
        return true
    }

    /// The first bad field, with its rule.
    package var first: (field: String, rule: String)? {
        fields.first.map { ($0.field, $0.description) }
    }

    package mutating func refuse(_ error: RPCError) {
        refusal = refusal ?? error
    }

    package mutating func add(
        _ field: String, _ rule: String, reason: ErrorReason = .invalidField,
        metadata: [String: String] = [:]
    ) {
        if fields.isEmpty { (self.reason, self.metadata) = (reason, metadata) }
        guard fields.count < AnswerLimits.violations else { return }
        fields.append(BadRequest.FieldViolation(field: field, description: rule))
    }

    /// The whole list as one error.
    package var error: RPCError {
        if let refusal { return refusal }
        let text = fields.map { "\($0.field): \($0.description)" }.joined(separator: "; ")
        return RPCError(
            .invalidArgument, reason, text, metadata: metadata, .badRequest(fields))
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
