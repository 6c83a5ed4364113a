public import Protobuf

/// An answer that is one page of a longer list.
///
/// A page may be shorter than was asked, and even empty. Only a page without a token is the last.
public protocol PagedAnswer: Message {
    /// The position at which the next page begins; empty after the last page.
    var nextPageToken: String { get }
}
