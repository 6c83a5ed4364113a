package import RelationModel

/// The history of an app: what its tokens and numbers belong to.
///
/// Clients keep tokens, sequences and versions. When an app goes on from an earlier state, or is
/// filled from elsewhere, it gets another history. Then no token of the one before stands for a
/// point of this one, and no sequence or version is given out for a second time.
package struct History: Sendable, Equatable {
    /// A random number; 0 if an older server made the app, and no newer one has served it yet.
    package var id: UInt64 = 0 {
        didSet { text = String(id, radix: 16) }
    }
    /// The id as a text, which is made once.
    package private(set) var text = "0"
    /// Every sequence and version that this history gives out is above it; 0 in an app that has had
    /// one history.
    ///
    /// It is the time in microseconds at which the history began. No user changes anything in each
    /// microsecond. So it is above all that an earlier history came to, known or lost. It stays
    /// below 2^53 until the year 2255, so that clients may keep such numbers as floating point.
    package var floor: Int64 = 0
    /// The restores that older servers noted; each changed the tokens that they issued.
    package var eras: [UInt32] = []
    /// Whether tokens that an older server issued last still count: the app was upgraded in place.
    package var keepsOlderTokens = false

    package init() {}

    /// A history in which an app begins, without anything that clients may have kept of it.
    ///
    /// - Parameter id: Its number; nil takes a random one.
    package static func new(above floor: Int64, id: UInt64? = nil) -> History {
        var history = History()
        history.id = id ?? .random(in: 1 ... .max)
        history.floor = floor
        return history
    }

    /// The history that goes on with an earlier state, or with one from elsewhere.
    package func renewed(at now: Timestamp) -> History {
        let (micros, isBeyond) = now.milliseconds.multipliedReportingOverflow(by: 1_000)
        // Two servers that restore one backup in the same millisecond differ as well.
        let present = isBeyond ? 0 : micros + .random(in: 0..<1_000)
        var next = History.new(above: max(present, floor + CoreLimits.leastFloorStep))
        next.eras = eras
        return next
    }

    /// The number after `last`, which this history or an earlier one gave out.
    package func number(after last: Int64) -> Int64 { max(last, floor) + 1 }
}
