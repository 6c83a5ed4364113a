/// The sizes with which the generator works.
enum FloodLimits {
    /// The most bytes of one read; a smaller buffer would mean more reads than a fast server
    /// writes.
    static let inputBytes = 256 * 1024

    /// The bytes that the server may send us: the largest window there is, on each stream and in
    /// all.
    ///
    /// So a generator that is still counting never slows the server.
    static let windowBytes: UInt32 = 0x7FFF_FFFF

    /// How often and at which distance to check whether a server rests, and the most of that time
    /// that it may then use: one part of so many.
    static let restLooks = 500
    static let restMicroseconds: UInt32 = 40_000
    static let restShare = 50.0

    /// How long the server may take to greet, and to answer the calls that are open at the end.
    static let graceSeconds = 5.0
}
