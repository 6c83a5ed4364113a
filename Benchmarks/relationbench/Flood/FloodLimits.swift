/// The sizes that the generator works within.
enum FloodLimits {
    /// What one read may take in; a smaller buffer would mean more reads than a fast server writes.
    static let inputBytes = 256 * 1024

    /// The longest frame that we take: HTTP/2's own default, and we announce no other.
    static let frameBytes = 16_384

    /// The header table that both sides keep unless they announce another (RFC 7541, section 4.2).
    static let headerTableBytes = 4_096

    /// What we let the server send us: the largest window there is, on each stream and in all, so
    /// that the server is never slowed by a generator that is still counting.
    static let windowBytes = 0x7FFF_FFFF

    /// The window that every connection and stream starts with (RFC 9113, section 6.9.2).
    static let initialWindowBytes = 65_535

    /// When this much of the connection's window is used up it is filled again, in one step.
    static let windowStepBytes = 0x2000_0000

    /// The highest stream number; a connection that reached it opens no more.
    static let lastStream: UInt32 = 0x7FFF_FFFF

    /// How often and how far apart it is looked whether a server rests, and what part of that time
    /// it may then use at most: one in so many.
    static let restLooks = 500
    static let restMicroseconds: UInt32 = 40_000
    static let restShare = 50.0

    /// What a client says that resets a stream because it does not want it (RFC 9113, section 7).
    static let cancelCode: UInt32 = 8

    /// How long the server may take to greet, and to answer what is still open at the end.
    static let graceSeconds = 5.0
}
