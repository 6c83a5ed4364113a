/// How much a write may reveal to its caller of another user's blacklist.
///
/// A user with a credential of its own learns of a block only by an attempt that the other user
/// would have seen, had there been no block.
package enum BlockDisclosure: Sendable {
    /// A rule reveals a block in its order among the rules: the caller is the app.
    case first
    /// A rule reveals a block only where nothing else stands in the way.
    case last
    /// No rule reveals a block: nothing comes of the call.
    case never
}
