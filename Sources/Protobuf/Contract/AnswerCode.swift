/// A code that a call may answer: a value of one of the contract's enums.
@usableFromInline package struct AnswerCode: Sendable {
    package let schema: EnumSchema
    package let number: Int32

    package init<Code: OpenEnum>(_ code: Code) {
        schema = Code.schema
        number = code.rawValue
    }

    /// The name in the contract.
    package var name: String { schema.name(of: number) ?? "\(number)" }
}
