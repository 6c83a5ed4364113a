/// The bounds of the presence that one process knows.
package enum PresenceLimits {
    /// Users whose presence one process knows, at about 400 bytes each.
    package static let presentUsers = 500_000
}
