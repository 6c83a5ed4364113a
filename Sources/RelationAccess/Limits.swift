/// The limits of what a server accepts from a caller before it knows the caller.
///
/// A caller without a valid credential should cost the server less than it costs itself.
package enum AccessLimits {
    /// The longest credential in a request's metadata.
    ///
    /// A signature of ordinary length has 250 bytes, and an app may add some hundred more.
    package static let credentialBytes = 4_096
    /// The most bytes that a user's signature may expand to; this is checked while it is expanded.
    package static let expandedSignatureBytes = 4_096
    /// How far the clock of an app's own servers may be ahead of ours.
    ///
    /// Without this tolerance, a signature that another machine made this second would be refused.
    package static let clockSkewMilliseconds: Int64 = 60_000
    /// The longest name of an API key inside its text: longer than the names that the server makes.
    package static let keyNameBytes = 64
}
