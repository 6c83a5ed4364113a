import GRPC
import RelationCore
import RelationModel
import Synchronization

/// The credential that a caller came with, for those that ask later whether it is still good, and
/// whose account its calls are on.
package enum ShownCredential: Sendable {
    /// The key of an operator.
    case operatorKey(AppKey)
    /// An API key or client certificate of an app.
    case key(UInt32, AppKey)
    case signature(Signature)

    /// What the caller holds; nil for operators, who must get through whatever others hold.
    var usage: Usage? {
        switch self {
        case .operatorKey: nil
        case .key(_, let key): key.usage
        case .signature(let signature): signature.usage
        }
    }
}

/// A user's signature that was good when it was looked at.
package final class Signature: Sendable {
    let app: UInt32
    /// The app's secret that it was made with.
    let secret: String
    /// What the user holds.
    let usage: Usage

    init(_ app: UInt32, _ secret: String, _ usage: Usage) {
        self.app = app
        self.secret = secret
        self.usage = usage
    }
}

/// What users hold: one usage for each user whom somebody knows, whatever signatures it shows
/// and whichever loops it comes to.
///
/// Nobody is kept here: a usage lasts as long as a loop remembers its user, or a call or a
/// connection of its is there. So there are no more than those.
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
        /// The size at which those that nobody holds are looked for.
        var sweepSize = UserUsages.leastSweep
    }

    private static let leastSweep = 1_024

    private let state = Mutex(State())

    /// The usage of a user of an app, whose own is `group`.
    func usage(of user: UserID, _ app: UInt32, in group: Usage) -> Usage {
        let name = Name(app: app, user: user.text)
        return state.withLock { state in
            // An app that was made anew under an old number is another.
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

    /// How many entries there are, with those that nobody holds.
    var count: Int { state.withLock { $0.held.count } }
}
