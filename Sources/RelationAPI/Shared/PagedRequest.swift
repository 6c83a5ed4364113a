public import Protobuf

/// A request whose answer is one page of a longer list.
///
/// A client reads all pages with `client.pages(method, request)`.
public protocol PagedRequest: Message {
    /// The position at which the page begins: the ``PagedAnswer/nextPageToken`` of the page before;
    /// empty for the first page.
    var pageToken: String { get set }

    /// Makes this the request of the page that begins at `token`.
    ///
    /// - Parameter token: The ``PagedAnswer/nextPageToken`` of the page that this request got.
    mutating func advance(to token: String)
}

extension PagedRequest {
    public mutating func advance(to token: String) { pageToken = token }
}
