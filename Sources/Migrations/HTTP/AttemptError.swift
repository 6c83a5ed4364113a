/// Why a call has no answer, in words for people.
enum AttemptError: Error, Sendable {
    /// The same call may succeed.
    case passing(String)
    /// The same call may succeed, once fewer of them are made.
    case throttled(String)
    /// The same call would fail again.
    case refused(String)
}
