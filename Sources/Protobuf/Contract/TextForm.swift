public import Memory

/// The form that a message has for its strings.
///
/// A client has `String`. The service reads and answers the most frequent calls with views of its
/// own, which are described by the same messages.
public protocol TextForm: Hashable, Sendable {
    /// Creates the empty text.
    init()
}

extension String: TextForm {}

extension Text: TextForm {}
