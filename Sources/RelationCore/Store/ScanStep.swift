package import Storage

/// Whether a list of rows goes on.
package typealias ScanStep = Storage.ScanStep

extension ScanStep {
    /// The list goes on with its next row.
    package static var next: ScanStep { .more }
    /// The caller of the rule has all the rows that it needs.
    package static var enough: ScanStep { .stop }
}
