package import Memory
import Protobuf

/// The identifier of a user as a request has it: a view that owns nothing, valid as long as the
/// request is.
///
/// A ``UserID`` is made of it where it is kept.
package struct UserIDView: BitwiseCopyable, Equatable, Sendable {
    package let text: Text

    /// The identifier that `text` spells; nil if the text breaks the rules of a ``UserID``.
    package init?(_ text: Text) {
        guard text.withBytes(UserID.isValid) else { return nil }
        self.text = text
    }

    /// The identifier in the bytes of `arena`; nil if the arena is full.
    package init?(_ user: UserID, in arena: Arena) {
        guard let text = arena.text(user.text) else { return nil }
        self.text = text
    }
}
