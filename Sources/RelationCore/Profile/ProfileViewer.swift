/// The relation of a viewer to a profile's owner, by the owner's lists.
package enum ProfileViewer: CaseIterable, Sendable {
    /// A credential with the scope `admin`.
    case admin
    case oneself
    /// A user in the owner's friend list.
    ///
    /// The owner's row counts, and not the viewer's: a user that the owner removed sees no more at
    /// once.
    case friend
    /// A user that follows the owner, where the owner lets its followers see more.
    case follower
    /// Any other user of the app.
    case other
    /// A user on the owner's blacklist.
    case shutOut
}
