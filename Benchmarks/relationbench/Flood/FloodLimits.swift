/// The sizes with which the generator works.
enum FloodLimits {
    /// The most bytes of one read; a smaller buffer would mean more reads than a fast server
    /// writes.
    static let inputBytes = 256 * 1024

    /// The longest frame that we accept: HTTP/2's own default, and we announce no other.
    static let frameBytes = 16_384

    /// The header table that both sides keep unless they announce another (RFC 7541, section 4.2).
    static let headerTableBytes = 4_096

    /// The bytes that the server may send us: the largest window there is, on each stream and in
    /// all.
    ///
    /// So a generator that is still counting never slows the server.
    static let windowBytes = 0x7FFF_FFFF

    /// The window that every connection and stream starts with (RFC 9113, section 6.9.2).
    static let initialWindowBytes = 65_535

    /// When this much of the connection's window is used up it is filled again, in one step.
    static let windowStepBytes = 0x2000_0000

    /// The highest stream number; a connection that reached it opens no more.
    static let lastStream: UInt32 = 0x7FFF_FFFF

    /// How often and at which distance to check whether a server rests, and the most of that time
    /// that it may then use: one part of so many.
    static let restLooks = 500
    static let restMicroseconds: UInt32 = 40_000
    static let restShare = 50.0

    /// The code with which a client resets a stream that it does not want (RFC 9113, section 7).
    static let cancelCode: UInt32 = 8

    /// How long the server may take to greet, and to answer the calls that are open at the end.
    static let graceSeconds = 5.0
}
