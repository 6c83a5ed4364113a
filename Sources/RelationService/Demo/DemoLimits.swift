/// The bounds of what a caller of a demo may ask for.
package enum DemoLimits {
    /// The longest text of the metadata `x-demo-fault`.
    static let faultBytes = 1_024
    /// The longest delay that a call may ask for.
    static let delayMilliseconds: Int64 = 60_000
    /// The longest wait before another attempt that a fault may name.
    static let retryMilliseconds: Int64 = 3_600_000
    /// How often a counted fault may come.
    static let times = 1_000
    /// The longest name of a counted fault.
    static let nameBytes = 64
    /// Counted faults that a demo remembers; then the one that began first is forgotten.
    static let names = 1_024

    /// How far the clock of a demo may go ahead of the machine's: a hundred years.
    package static let aheadMilliseconds: Int64 = 36_525 * 86_400_000

    /// The longest file of a fixture.
    package static let fixtureBytes = 4 << 20
    /// Apps of a fixture, and those that are named beside it.
    package static let apps = 100
    /// Users of a fixture, of all its apps together.
    static let users = 10_000
    /// The longest name of an app.
    package static let appNameBytes = 64
}
