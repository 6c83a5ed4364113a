/// The bounds of each caller, alone or with the other callers of its app.
package enum AdmissionLimits {
    /// Callers that a loop knows again by the bytes that they show, without a closer look.
    ///
    /// Each takes a few hundred bytes. A caller that is not among them is recognised again, in
    /// microseconds.
    package static let rememberedCallers = 1_024
    /// The last use of a credential is noted after 2 to the power of so many nanoseconds: half
    /// a minute.
    static let lastUseBits: Int64 = 35
    /// The pause between two notes in the store that a credential was used: an hour.
    static let storedUseMilliseconds: Int64 = 3_600_000
    /// How long a caller that holds too many calls or connections is asked to wait: the server
    /// cannot know when one of them ends.
    package static let retryHeldMilliseconds: Int64 = 1_000

    /// Apps whose calls may be counted each by itself; each takes fourteen series of metrics, and
    /// 128 bytes on each loop.
    package static let countedApps = 1_000

    // MARK: How often

    /// Calls of one app.
    ///
    /// One core can answer so many of the cheapest calls. So an app that is alone on its server is
    /// hardly ever asked to wait.
    package static let callsPerApp = Rate(perSecond: 200_000, burst: 400_000)
    /// Calls of one API key or client certificate.
    ///
    /// Half of its app's calls, so that a program that runs wild leaves room for the app's others.
    package static let callsPerKey = Rate(perSecond: 100_000, burst: 200_000)
    /// Calls of one user's signatures: far more than a person can cause, and far less than a device
    /// that calls in a loop.
    package static let callsPerUser = Rate(perSecond: 1_000, burst: 5_000)
    /// Buckets for the users of all apps together; each takes 48 bytes.
    package static let userBuckets = 16_384
    /// Buckets for the users of an app with a bound of its own; together they take 200 kB.
    package static let userBucketsOfApp = 4_096

    // MARK: How much at once

    /// Open calls of one app.
    ///
    /// They are three quarters of the streams of changes that a process can carry, so that other
    /// apps of the server always find room.
    package static let openCallsPerApp = 75_000
    /// Open calls of one API key or client certificate.
    ///
    /// Half of all streams. A backend that follows every user of a large app with a stream of its
    /// own has room. A backend that forgets to end its streams is refused before its app's others
    /// suffer.
    package static let openCallsPerKey = 50_000
    /// Open calls of one user: some dozens of devices with some streams each.
    package static let openCallsPerUser = 200
    /// Connections of the callers of one app: three quarters of the server's.
    package static let connectionsPerApp = 7_500
    /// Connections of the callers with one API key or client certificate: half of the server's.
    ///
    /// A program needs one. A hundred processes with one key have some hundreds.
    package static let connectionsPerKey = 5_000
    /// Connections of one user: one for each device, and those that a lost network leaves behind
    /// until the server notices.
    package static let connectionsPerUser = 100
}
