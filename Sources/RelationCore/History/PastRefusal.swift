/// The rules by which a read at a past moment has no answer.
package enum PastRefusal: Equatable, Sendable {
    /// The history has not each change since the moment; it has since that time, if the app keeps
    /// one.
    case notKept(sinceMs: Int64?)
    /// More entries stand between the moment and now than a read looks at.
    case tooManyEntries(limit: Int)
    /// The entries between the moment and now are longer than what a read looks at.
    case tooManyBytes(limit: Int)
}

/// A refusal of a read at a past moment, as an error.
package struct PastRefused: Error {
    package let refusal: PastRefusal

    init(_ refusal: PastRefusal) { self.refusal = refusal }
}
