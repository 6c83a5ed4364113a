package import Memory
import Protobuf
import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// A message that reports an outcome.
///
/// Each of these messages has one initialiser that takes an outcome, so that no handler sets these
/// fields one by one.
protocol OutcomeMessage: ResultMessage where Info: InfoText {}

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
    mutating func set(_ code: Code, _ reason: Reason = .none) {
        self.code = code
        self.reason = reason
        info = Info(reason)
    }
}
