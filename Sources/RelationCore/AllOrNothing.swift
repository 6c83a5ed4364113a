/// What the items of a call answer that is all or nothing, and is nothing.
package enum AllOrNothing {
    /// Each item answers what it would alone, as the others' effects are not to be seen.
    ///
    /// Items may be refused together for a limit that none of them passes alone. Then the code of
    /// that limit is the answer of each that would be accepted alone, since each has its part in
    /// it.
    ///
    /// - Parameters:
    ///   - alone: What each item would answer if it were the only one.
    ///   - together: What the items answered one after another.
    package static func answers<Answer>(
        alone: [Answer], together: [Answer], accepting isAccepted: (Answer) -> Bool
    ) -> [Answer] {
        let passed = zip(alone, together).first { isAccepted($0) && !isAccepted($1) }
        guard let limit = passed?.1 else { return alone }
        return alone.map { isAccepted($0) ? limit : $0 }
    }
}
