/// Copies of a store that may be behind it, from which a read may be answered.
package protocol StoreStandbys: AnyObject, Sendable {
    /// Whether reads of which nothing is known may be answered by a copy, within a bound of time.
    var takesRecentReads: Bool { get }

    /// Runs `body` against one view of a copy that shows what `need` asks for.
    ///
    /// - Parameter body: It may run again, against the view of another copy, so it changes nothing
    ///   but the answer. Its word about the view ends the read, or leads to the next copy.
    /// - Returns: The end of the read; after anything but `answered`, what `body` found
    ///   counts for nothing. An error of a copy is not an error of the read.
    func read(
        _ need: StandbyNeed,
        _ body: (any ReadTransaction) throws(StorageError) -> StandbyVerdict
    ) -> StandbyOutcome
}

/// The state that a view of a copy must show.
package enum StandbyNeed: Sendable, CaseIterable {
    /// Everything that was committed before the read began.
    case present
    /// Everything that was committed before a moment that the settings allow.
    case recent
    /// A change that the read looks for by itself, in the history of the present primary.
    case token
}

/// The word of a read about the view that it has seen.
package enum StandbyVerdict: Sendable {
    /// It has its answer.
    case answered
    /// The view lacks the change that the read looks for.
    case behind
    /// Something is missing that may be there by now.
    case unsure
}

/// The end of a read that copies were asked for.
package enum StandbyOutcome: Sendable {
    /// A copy has answered.
    case answered
    /// The copies that were asked are behind.
    case behind
    /// No copy could be asked.
    case away
    /// A copy lacks something that may be there by now: the store decides.
    case unsure
}
