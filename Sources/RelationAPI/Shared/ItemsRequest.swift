public import Protobuf

/// A write of several items, whose answer is an ``ItemsAnswer`` with one result for each.
@usableFromInline package protocol ItemsRequest: CodedMessage {
    /// The schema of the answer, which has the answer's name in the contract.
    static var answerSchema: Schema { get }
}
