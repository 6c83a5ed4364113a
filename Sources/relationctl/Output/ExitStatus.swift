import RelationClient

/// How the program ends, as the number that scripts see: `docs/commands.md` lists them.
enum ExitStatus: Int32 {
    case done = 0
    /// A file, an answer or the machine made the command impossible.
    case failed = 1
    /// The server refused the call.
    case refused = 2
    /// No server was reached, or it did not answer in time.
    case unreachable = 3
    /// The server does not accept the credential, or the credential may not make the call.
    case notAllowed = 4
    /// The call was made, and refused some of its items; only with `--fail-on-refused`.
    case itemsRefused = 5
    /// The command itself is wrong: an option, an argument or a request.
    case misuse = 64
    /// The output could not be written.
    case outputLost = 74

    /// The outcome of a call that failed as a whole.
    init(of code: StatusCode) {
        switch code {
        case .unavailable, .deadlineExceeded: self = .unreachable
        case .unauthenticated, .permissionDenied: self = .notAllowed
        default: self = .refused
        }
    }
}
