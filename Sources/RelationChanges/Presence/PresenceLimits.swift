/// The bounds of what one process knows of who is online.
package enum PresenceLimits {
    /// Users whose presence one process knows, at about 400 bytes each.
    package static let presentUsers = 500_000
}
