/// The parts of a ``Method`` that have nothing of its types.
final class MethodFacts: Sendable {
    let service: String
    let name: String
    let path: String
    let access: Access
    let audience: Audience
    let shape: CallShape
    let answers: [AnswerCode]
    let limits: [RequestLimit]

    init(
        _ service: String, _ name: String, _ access: Access, _ audience: Audience,
        _ shape: CallShape, _ answers: [AnswerCode], _ limits: [RequestLimit]
    ) {
        self.service = service
        self.name = name
        path = "/\(service)/\(name)"
        self.access = access
        self.audience = audience
        self.shape = shape
        self.answers = answers
        self.limits = limits
    }
}
