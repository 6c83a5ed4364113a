/// The answers of the items of a call that is all or nothing, when it came to nothing.
package enum AllOrNothing {
    /// Each item gets the answer that it would get alone, because no effect of the others is to be
    /// seen.
    ///
    /// Items that would each be accepted alone may pass a limit together. Each of them then gets
    /// the code of that limit, since each has a part in passing it.
    ///
    /// - Parameters:
    ///   - alone: The answer that each item would get if it were the only one.
    ///   - together: The answers that the items got one after another.
    package static func answers<Answer>(
        alone: [Answer], together: [Answer], accepting isAccepted: (Answer) -> Bool
    ) -> [Answer] {
        let passed = zip(alone, together).first { isAccepted($0) && !isAccepted($1) }
        guard let limit = passed?.1 else { return alone }
        return alone.map { isAccepted($0) ? limit : $0 }
    }
}
