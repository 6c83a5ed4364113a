/// What is taken from a caller before it is known who that is.
///
/// Whoever calls without a credential that counts should cost a server less than it costs itself.
package enum AccessLimits {
    /// The longest credential in a request's metadata: a signature of ordinary length has 250
    /// bytes, and what an app may add to it some hundred more.
    package static let credentialBytes = 4_096
    /// What a user's signature expands to, at most; it is checked while it is expanded.
    package static let expandedSignatureBytes = 4_096
    /// How far the clock of an app's own servers may be ahead of ours.
    ///
    /// Without any, a signature would be refused that was made this second on another machine.
    package static let clockSkewMilliseconds: Int64 = 60_000
    /// The longest name of an API key inside its text: more than ours have.
    package static let keyNameBytes = 64
}
