package import RelationModel

/// The times by which a mover goes.
package struct MoveClock {
    /// The time of day.
    package var now: () -> Timestamp
    /// Milliseconds of a clock that never goes back.
    package var milliseconds: () -> Int64
    /// Lets so many milliseconds pass.
    package var pause: (Int64) -> Void

    package init(
        now: @escaping () -> Timestamp, milliseconds: @escaping () -> Int64,
        pause: @escaping (Int64) -> Void
    ) {
        (self.now, self.milliseconds, self.pause) = (now, milliseconds, pause)
    }
}
