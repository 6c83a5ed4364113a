/// The bounds of the presence that one process knows.
package enum PresenceLimits {
    /// Users whose presence one process knows, at about 400 bytes each.
    package static let presentUsers = 500_000
    /// Devices whose last report waits for other servers to be told of it.
    package static let waitingNotes = 100_000
    /// How often it is looked for other servers' reports, if no word of them has come.
    package static let noteLookMilliseconds = 1_000
    /// How often old notes are removed.
    package static let noteTrimSeconds = 600
}
