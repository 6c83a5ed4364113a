/// The kinds of calls in the name of a user, by how soon a suspension forbids them.
package enum SuspendedAction: Sendable {
    /// A call that no suspension forbids.
    case free
    /// Any write.
    case write
    /// A change of the texts that others see of the user.
    case text
    /// Reaching out to others; an administrator does not do that in the user's name either.
    case reach
}
