/// The bounds of requests to TIM's REST API, which are the vendor's where it names one.
package enum TIMLimits {
    /// The longest body of a request.
    package static let bodyBytes = 1 << 20
    /// The longest target: twice as much as the longest signature.
    package static let targetBytes = 8_192
    /// How many requests the server works on at once; one more is asked to come later.
    ///
    /// A body takes some thirty times its bytes while it is read, and a request lasts milliseconds.
    package static let openRequests = 32
    /// How long the calls of a request may take; no call begins after that.
    package static let milliseconds: Int64 = 10_000
    /// How long a call that writes may take once it has begun, also beyond the time of its request.
    package static let writeMilliseconds: Int64 = 10_000
    /// How long it may take to ask once more what became of a call that writes, and how long after
    /// that an update of an account may begin which was found so.
    package static let repeatMilliseconds: Int64 = 5_000
    /// The text of a request that its writes have in their request ids, which have room for more.
    package static let requestIDBytes = 32

    /// The items of one request that names users.
    package static let items = 1_000
    /// Accounts that one request imports, checks or deletes.
    package static let accounts = 100
    /// Users whose profile, or whose follow, one request reads.
    package static let readUsers = 100
    /// Users that one request follows, no longer follows, or counts.
    package static let followItems = 20
    /// Users whose presence one request reads.
    package static let presenceUsers = 500
    /// The longest user id; the service itself takes longer ones, which only its own calls make.
    package static let userIDBytes = 32
    /// How often a request to make groups is tried without members that the last attempt refused.
    ///
    /// The second attempt is the last, unless another write makes one of its members fail.
    package static let groupAttempts = 4
    /// The tags that one request names.
    package static let tags = 100
}
