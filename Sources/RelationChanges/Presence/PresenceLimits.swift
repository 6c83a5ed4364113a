/// The bounds of the presence that one process knows.
package enum PresenceLimits {
    /// Users whose presence one process knows, at about 400 bytes each.
    package static let presentUsers = 500_000
    /// Reports that wait until other servers can read them; beyond it a report is refused.
    package static let waitingReports = 100_000
    /// How long a report waits for a store that is away, before it is refused.
    package static let patienceMilliseconds = 10_000
    /// The pause before a store that is away is tried again.
    package static let retryMilliseconds = 100
    /// How often a server polls for other servers' reports, if no notification has come.
    package static let notePollMilliseconds = 1_000
    /// How often old notes are removed.
    package static let noteTrimSeconds = 600
}
