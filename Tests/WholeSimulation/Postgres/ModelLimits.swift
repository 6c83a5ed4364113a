/// The sizes and times of a modelled database.
package enum ModelLimits {
    /// The time from a client to the database, or back, in microseconds, where a seed draws it.
    static let wayMicroseconds = 50...1_500
    /// The time from a commit until another server hears of it.
    static let noticeMicroseconds = 100...40_000
    /// The time until a standby has a commit, or the primary knows that it has.
    static let shipMicroseconds = 100...3_000
    /// How long the end of a lost connection is unknown at the database.
    static let lossMicroseconds = 1_000...2_000_000

    /// The most changes that a standby may lack; more make it begin anew from a copy.
    package static let waitingChanges = 10_000
    /// The most statements that wait on one session.
    static let waitingRequests = 64
    /// How long a session waits for a lock until the database looks for a deadlock.
    static let deadlockMilliseconds: UInt64 = 1_000

    /// The part of the age that a view may have after which another number is committed.
    static let marksPerAge = 4
    /// Address space for the records that one transaction decodes.
    static let arenaBytes = 64 << 20
    /// How long a note stays.
    static let dayNanoseconds: UInt64 = 86_400_000_000_000
}
