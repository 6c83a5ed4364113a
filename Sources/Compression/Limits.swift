/// The bounds of the work for compressed bytes beside expanding them.
package enum CompressionLimits {
    /// The most members of one gzip stream.
    ///
    /// This is sixteen times as many as the longest message has if it is compressed in parts of 64
    /// KiB. A member may be empty, so the work of beginning it shows in no length.
    package static let gzipMembers = 1_024

    /// The price of a member after the first, beside its bytes, as a number of bytes.
    ///
    /// In the time that it takes to begin a member, so many bytes can be expanded.
    package static let memberBytes = 1_024
}
