/// The hooks that the server's operator allows.
package struct HookPolicy: Sendable {
    /// Why a URL is refused, or nil if a hook may have it; nil as a whole if no hooks are allowed.
    let refusal: (@Sendable (_ url: String) -> String?)?

    package init(refusal: (@Sendable (_ url: String) -> String?)?) {
        self.refusal = refusal
    }

    /// No hooks are allowed.
    package static let none = HookPolicy(refusal: nil)
}
