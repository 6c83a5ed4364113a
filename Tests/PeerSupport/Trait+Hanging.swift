package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs, so that the run names it.
    ///
    /// A test waits for its turn among all others, on a slow machine for minutes. A limit near the
    /// time that a test needs alone would be a limit on the machine.
    package static var endsWhenHung: Self { .timeLimit(.minutes(20)) }
}

extension Duration {
    /// The time that a call may take if it has to be answered, chosen for the same reason.
    package static var untilHung: Duration { .seconds(20 * 60) }
}
