import RelationCore
import RelationModel

/// The end of a write of several items.
package enum ItemsEnd {
    /// The write stands, unless it is a dry run.
    case stands(changed: Bool)
    /// The write would stand with these outcomes. It comes before the end of a dry run that lists
    /// its rows, which ends once more with the outcomes of a dry run.
    case tried(changed: Bool)
    /// The call wanted all or nothing, and got nothing: the transaction is as it was before.
    case heldBack
}

/// One pass over the items of a write.
package struct ItemsPass {
    /// The ledger of the items one after another.
    let ledger: Ledger
    /// The transaction as it was before the first item, and before the acting user got an account.
    let savepoint: Savepoint
    let allOrNothing: Bool
    let isDryRun: Bool
    /// Whether the dry run lists the rows of the write.
    let listsEffects: Bool

    /// Applies each of `count` items, and ends with their outcomes.
    ///
    /// - Parameters:
    ///   - begin: Begins a ledger for one item alone; nil if the acting user has no account, and
    ///     the call has its answer.
    ///   - apply: Does one item, or refuses it and changes nothing.
    ///   - answer: Answers the call with the outcomes, as the client gets them.
    func run<Code>(
        _ count: Int, _ begin: () throws(StorageError) -> Ledger?,
        _ apply: (Int, Ledger) throws(StorageError) -> Outcome<Code>,
        answering answer: ([Outcome<Code>], ItemsEnd) throws(StorageError) -> Void
    ) throws(StorageError) {
        var outcomes: [Outcome<Code>] = []
        outcomes.reserveCapacity(count)
        for index in 0..<count { outcomes.append(try apply(index, ledger)) }
        if allOrNothing, !outcomes.allSatisfy(\.isAcceptable) {
            ledger.rollback(to: savepoint)
            guard let alone = try outcomesAlone(count, begin, apply) else { return }
            let shown = AllOrNothing.answers(
                alone: alone, together: outcomes, accepting: \.isAcceptable)
            return try answer(shown.map(\.withoutChange), .heldBack)
        }
        if allOrNothing, !isDryRun, ledger.hasOverlookedBlock, let block = Code.block {
            // Which of them it is would be revealed at no cost: one that surely blocks holds all
            // back.
            ledger.rollback(to: savepoint)
            return try answer(outcomes.map { _ in block }, .heldBack)
        }
        if listsEffects {
            try answer(outcomes, .tried(changed: outcomes.contains(where: \.changed)))
        }
        if isDryRun { outcomes = outcomes.map(\.withoutChange) }
        try answer(outcomes, .stands(changed: outcomes.contains(where: \.changed)))
    }

    /// The outcome of each item as if it were the only one; nil if `begin` returns nil.
    private func outcomesAlone<Code>(
        _ count: Int, _ begin: () throws(StorageError) -> Ledger?,
        _ apply: (Int, Ledger) throws(StorageError) -> Outcome<Code>
    ) throws(StorageError) -> [Outcome<Code>]? {
        var outcomes: [Outcome<Code>] = []
        outcomes.reserveCapacity(count)
        for index in 0..<count {
            guard let ledger = try begin() else { return nil }
            outcomes.append(try apply(index, ledger))
            ledger.rollback(to: savepoint)
        }
        return outcomes
    }
}
