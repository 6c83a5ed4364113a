/// An answer that is one page of a list, and has nothing else that a reader must look at.
///
/// A client reads all items with `client.items(of: method, request)`.
public protocol PagedList: PagedAnswer {
    /// An item of the list.
    associatedtype Item: Sendable

    /// The items of this page, in the order of the list.
    var pageItems: [Item] { get }

    /// Why the server gave no list, although the call as a whole succeeded; nil if it gave one.
    var refusal: ListRefusal? { get }
}

extension PagedList {
    public var refusal: ListRefusal? { nil }
}
