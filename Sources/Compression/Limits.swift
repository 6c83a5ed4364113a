/// The bounds of what is done for compressed bytes beside expanding them.
package enum CompressionLimits {
    /// The members of one gzip stream: sixteen times as many as the longest message has where it is
    /// compressed in parts of 64 KiB.
    ///
    /// A member may be empty, and to begin one is work that shows in no length.
    package static let gzipMembers = 1_024

    /// What a member after the first counts for beside its bytes, in bytes: as much is expanded in
    /// the time that it takes to begin one.
    package static let memberBytes = 1_024
}
