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

    // MARK: How much at once

    /// Calls of one app that are open: three quarters of the streams of changes that a process
    /// carries, so that the others of a server always find room.
    package static let openCallsPerApp = 75_000
    /// Calls of one API key or client certificate that are open.
    ///
    /// Half of all streams: a backend that follows every user of a large app by a stream of its own
    /// has room, and one that forgets to end its streams is told before its app's others suffer.
    package static let openCallsPerKey = 50_000
    /// Calls of one user that are open: some dozens of devices with some streams each.
    package static let openCallsPerUser = 200
    /// Connections on which an app's callers come: three quarters of the server's.
    package static let connectionsPerApp = 7_500
    /// Connections on which one API key or client certificate comes: half of the server's.
    ///
    /// A program needs one; a hundred processes with one key have some hundreds.
    package static let connectionsPerKey = 5_000
    /// Connections on which one user comes: one for each device, and what a lost network leaves
    /// behind until it is noticed.
    package static let connectionsPerUser = 100
}
