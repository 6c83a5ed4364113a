import CZlib

/// How compressed bytes are wrapped.
package enum CompressionFormat: Int, Sendable, CaseIterable {
    /// The zlib format (RFC 1950), which HTTP and gRPC call "deflate".
    case zlib
    /// The gzip format (RFC 1952): one member or several, which are expanded one after another.
    case gzip

    /// The number that gives zlib the format and the largest window.
    var windowBits: Int32 {
        switch self {
        case .zlib: 15
        case .gzip: 15 + 16
        }
    }
}

/// Why compressed bytes could not be expanded.
package enum InflateError: Error, Equatable, Sendable {
    /// The bytes are not of the format, break off, or go on after their end.
    case malformed
    /// The expanded bytes would be longer than was allowed.
    case tooLong
    /// A gzip stream has more members than ``CompressionLimits/gzipMembers``.
    case tooManyMembers
}
