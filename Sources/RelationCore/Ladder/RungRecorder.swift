import RelationModel

/// Hears of each rung of a rule's ladder when the rule looks at it.
///
/// A rule asks its questions through it, in the branches themselves. So an explanation is what the
/// rule did, and no second description of it. ``NoRungs`` costs a rule nothing.
protocol RungRecorder {
    /// Whether the rule only explains itself, and so must not write.
    var isExplaining: Bool { get }

    /// Notes that the rule looks at the rung, and goes on if `condition` is true.
    ///
    /// - Parameter rung: It is looked up only where it is noted: that of a constant of another
    ///   module takes a call.
    /// - Returns: `condition`.
    mutating func passes(_ rung: @autoclosure () -> RungKind, _ condition: Bool) -> Bool

    /// Notes that the rule looks at a rung which decides no code.
    ///
    /// - Returns: `fact`.
    mutating func records(_ rung: @autoclosure () -> RungKind, _ fact: Bool) -> Bool

    /// Notes that nothing stands in the way of what a rule would write.
    ///
    /// - Returns: Whether the rule writes it. A rule that explains itself ends here.
    mutating func reachesWrite() -> Bool
}

extension RungRecorder {
    /// Notes that the rule ends at the rung, whatever its answer is.
    @inline(__always)
    mutating func ends(_ rung: @autoclosure () -> RungKind) { _ = passes(rung(), false) }
}
