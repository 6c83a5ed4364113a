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

    // MARK: How often

    /// Calls of one app: what one core answers of the cheapest calls, so that an app alone on its
    /// server is hardly ever asked to wait.
    package static let callsPerApp = Rate(perSecond: 200_000, burst: 400_000)
    /// Calls of one API key or client certificate.
    ///
    /// Half of its app's, so that a program that runs wild leaves room for the app's others.
    package static let callsPerKey = Rate(perSecond: 100_000, burst: 200_000)
    /// Calls of one user's signatures: far more than a person can cause, and far less than a device
    /// that calls in a loop.
    package static let callsPerUser = Rate(perSecond: 1_000, burst: 5_000)
    /// Buckets for the users of all apps together, which take 48 bytes each.
    package static let userBuckets = 16_384
}
