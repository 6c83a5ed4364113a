import RelationAPI
import RelationCalls
import RelationCore
import RelationModel

/// A result of a write, which also says whether its item changed anything.
protocol ChangeMessage: OutcomeMessage where Code: OutcomeCode {
    var changed: Bool { get set }
}

extension ChangeMessage {
    mutating func set(_ outcome: Outcome<Code>) {
        set(outcome.code, outcome.reason)
        changed = outcome.changed
    }
}
