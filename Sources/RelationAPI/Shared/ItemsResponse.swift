/// The answer to a write of several items, with one result for each.
package protocol ItemsResponse<Item>: WriteResponse {
    associatedtype Item: Sendable
    /// One outcome for each item of the request, in its order.
    var results: [Item] { get set }
}
