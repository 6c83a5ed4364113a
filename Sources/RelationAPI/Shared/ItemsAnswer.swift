public import Protobuf

/// The answer to a write of several items, with one result for each.
///
/// Each of these calls has a name for its own, such as ``AddFriendsResponse``, which is the
/// message's name in the contract.
public struct ItemsAnswer<Request: Message, Item: Message>: WriteAnswer {
    public var write = WriteOutcome()
    /// One outcome for each item of the request, in its order.
    public var results: [Item] = []

    @inlinable public init() {}
}

extension ItemsAnswer: CodedMessage, WriteResponse, ItemsResponse
where Request: ItemsRequest, Item: CodedMessage {
    @inlinable package static var schema: Schema { Request.answerSchema }

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        write.visit(&visitor)
        visitor.field(4, "results", &results)
        write.visitLast(&visitor)
    }
}
