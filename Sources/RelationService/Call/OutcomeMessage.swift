package import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// A message that tells an outcome.
///
/// Each of these messages has one initialiser that takes an outcome, so that no handler sets these
/// fields one by one.
protocol OutcomeMessage: ResultMessage where Info: InfoText {}

/// A result of a write, which also says whether its item changed anything.
protocol ChangeMessage: OutcomeMessage {
    var changed: Bool { get set }
}

/// The type of the field `info`.
protocol InfoText {
    init(_ reason: Reason)
}

extension String: InfoText {
    init(_ reason: Reason) {
        self = reason.info.description
    }
}

extension Text: InfoText {}

extension OutcomeMessage {
    mutating func take(_ code: Code, _ reason: Reason = .none) {
        self.code = code
        self.reason = reason
        info = Info(reason)
    }

    /// Takes an outcome whose code has the number that stands in the table of this message's codes.
    mutating func take(_ outcome: Outcome) {
        take(Code(rawValue: outcome.code.rawValue), outcome.reason)
    }
}

extension ChangeMessage {
    mutating func take(_ outcome: Outcome) {
        take(Code(rawValue: outcome.code.rawValue), outcome.reason)
        changed = outcome.changed
    }

    /// Takes an outcome about a permission.
    mutating func take(_ outcome: Consent.ConsentOutcome) where Code == ProfileStatus {
        take(outcome.code, outcome.reason)
        changed = outcome.changed
    }
}
