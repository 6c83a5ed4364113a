import RelationCore
package import RelationModel
import Storage

extension RelationStep {
    /// An entry of a history that can be taken back, by the users that it is about.
    package struct UndoTarget: Sendable {
        /// Two users, or one.
        package let users: [UserID]
        /// How many later entries there are about exactly these users.
        package let back: Int

        package init(_ users: [UserID], back: Int) {
            self.users = users
            self.back = back
        }
    }

    /// Whether the call acts for the app, and not for the actor.
    var isOfApp: Bool {
        if case .undo = action { true } else { false }
    }
}

extension World {
    /// The outcomes of a step of groups, or of one that takes changes back.
    static func undoOutcomes(
        of step: RelationStep, in ledger: Ledger
    ) throws(StorageError) -> [StepOutcome] {
        let actor = step.actor
        switch step.action {
        case .createGroup(let name):
            return [StepOutcome(try GroupRules.create(name, with: [], of: actor, in: ledger))]
        case .deleteGroup(let name):
            return [StepOutcome(try GroupRules.delete(name, of: actor, in: ledger))]
        case .renameGroup(let name, let newName):
            return [StepOutcome(try GroupRules.rename(name, to: newName, of: actor, in: ledger))]
        case .undo(let targets):
            var outcomes: [StepOutcome] = []
            for target in targets {
                let position = try position(of: target, in: ledger)
                outcomes.append(StepOutcome(try HistoryUndo.undo(position, in: ledger)))
            }
            return outcomes
        default: return []
        }
    }

    /// The position of an entry; one at which there is none if the history has no such entry.
    private static func position(
        of target: RelationStep.UndoTarget, in ledger: Ledger
    ) throws(StorageError) -> UInt64 {
        var query = HistoryLog.Query()
        query.user = target.users[0]
        query.other = target.users.count > 1 ? target.users[1] : nil
        let page = try HistoryLog.page(
            query, below: 0, limit: 10_000, app: ledger.app, in: ledger.transaction)
        let fitting = page.entries.filter {
            Set($0.record.users) == Set(target.users) && $0.record.canBeTakenBack
        }
        return target.back < fitting.count ? fitting[target.back].position : 1 << 40
    }
}
