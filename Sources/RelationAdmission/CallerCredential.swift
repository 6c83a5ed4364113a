import GRPC
import RelationAccess
import RelationCore
import RelationModel
import Synchronization

/// The credential of a caller.
///
/// It says later whether the credential is still valid, and which usage counts the caller's calls.
package enum CallerCredential: Sendable {
    /// The key of an operator.
    case operatorKey(AppKey)
    /// An API key or client certificate of an app.
    case key(UInt32, AppKey)
    case signature(Signature)

    /// Whether it is the key of an operator.
    var isOfOperator: Bool {
        if case .operatorKey = self { true } else { false }
    }

    /// The calls and connections of the caller; nil for operators, who must always get through.
    var usage: Usage? {
        switch self {
        case .operatorKey: nil
        case .key(_, let key): key.usage
        case .signature(let signature): signature.usage
        }
    }
}

/// A user's signature that was valid when it was checked.
package final class Signature: Sendable {
    let app: UInt32
    /// The app's secret that it was made with.
    let secret: String
    let user: UserID
    /// The time at which it was made, to the second.
    let issuedMs: Int64
    /// The calls and connections of the user.
    let usage: Usage

    init(_ app: UInt32, _ secret: String, _ claim: UserSig, _ usage: Usage) {
        self.app = app
        self.secret = secret
        user = claim.user
        issuedMs = claim.issuedMs
        self.usage = usage
    }
}

/// The usages of users: one for each user that the server knows at present.
///
/// A user has one usage for all its signatures and on all loops. This table keeps no usage alive. A
/// usage lasts as long as a loop remembers its user, or as long as a call or a connection of the
/// user is there. So there are no more usages than those.
final class UserUsages: Sendable {
    private struct Name: Hashable {
        let app: UInt32
        let user: String
    }

    private struct Held {
        weak var usage: Usage?
    }

    private struct State {
        var held: [Name: Held] = [:]
        /// The size at which entries whose usage is gone are looked for.
        var sweepSize = UserUsages.leastSweep
    }

    private static let leastSweep = 1_024

    private let state = Mutex(State())

    /// The usage of a user of an app whose own usage is `group`.
    func usage(of user: UserID, _ app: UInt32, in group: Usage) -> Usage {
        let name = Name(app: app, user: user.text)
        return state.withLock { state in
            // An app that was made again under an old number is another app.
            if let known = state.held[name]?.usage, known.group === group { return known }
            if state.held.count >= state.sweepSize {
                state.held = state.held.filter { $0.value.usage != nil }
                state.sweepSize = max(Self.leastSweep, 2 * state.held.count)
            }
            let usage = Usage(in: group)
            state.held[name] = Held(usage: usage)
            return usage
        }
    }

    /// The number of entries, with those whose usage is gone.
    var count: Int { state.withLock { $0.held.count } }
}
