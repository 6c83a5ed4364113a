import NIOCore
package import RPC

/// The answer to the request for a target that ends in a status.
package typealias PlainRefusal = @Sendable (Status, _ target: [UInt8]) -> [UInt8]

/// The part of a request of the web that is the same for all calls with its header block.
final class WebRequest: Sendable {
    let content: WebContent
    /// The origin that the answer is opened to; nil if the request names none.
    let origin: [UInt8]?
    /// The time that the client allows; nil for any.
    let allowance: TimeAmount?
    /// Whether the client wants the numbers of enums in JSON, in the place of their names.
    let enumsAreNumbers: Bool
    /// Whether members of its JSON that are not fields are skipped.
    ///
    /// Otherwise they are refused.
    let ignoresUnknown: Bool
    /// The target of a request in HTTP alone, with its query.
    let target: [UInt8]
    /// How such a request is refused; nil for all others.
    let refusal: PlainRefusal?

    var framing: WebFraming { content.framing }

    init(
        _ content: WebContent, origin: [UInt8]? = nil, allowance: TimeAmount? = nil,
        enumsAreNumbers: Bool = false, ignoresUnknown: Bool = false, target: [UInt8] = [],
        refusal: PlainRefusal? = nil
    ) {
        self.content = content
        self.origin = origin
        self.allowance = allowance
        self.enumsAreNumbers = enumsAreNumbers
        self.ignoresUnknown = ignoresUnknown
        self.target = target
        self.refusal = refusal
    }
}

/// The state of one call in a protocol of the web.
///
/// - Important: It belongs to the loop of its call.
final class WebCall {
    let request: WebRequest
    /// The JSON of the method's messages; nil if the call is in protobuf.
    let forms: MessageForms?
    /// The request that stands in a query, or that was decoded from base64.
    @exclusivity(unchecked) var message: [UInt8] = []
    /// The metadata for a header block that goes out with the answer.
    @exclusivity(unchecked) var initial: Metadata = []
    /// The answer that goes out with the status, in its final form.
    @exclusivity(unchecked) var body: [UInt8]?
    /// Whether that answer is packed.
    @exclusivity(unchecked) var isBodyPacked = false
    /// The answer to a request in HTTP alone that fails; nil for that of ``WebRequest/refusal``.
    @exclusivity(unchecked) var refusal: [UInt8]?

    init(_ request: WebRequest, _ forms: MessageForms?, message: [UInt8] = []) {
        self.request = request
        self.forms = request.content.format == .json ? forms : nil
        self.message = message
    }

    var framing: WebFraming { request.framing }
}
