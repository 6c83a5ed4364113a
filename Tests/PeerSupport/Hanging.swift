package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs, so that a run tells which it was.
    ///
    /// A test waits for its turn among all others, on a slow machine for minutes: a limit near to
    /// what a test needs when it runs alone is one on the machine.
    package static var endsWhenHung: Self { .timeLimit(.minutes(20)) }
}

extension Duration {
    /// What a call may take that has to be answered, for the same reason.
    package static var untilHung: Duration { .seconds(20 * 60) }
}
