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
    /// For how many seconds a server rests that uses less than this share of a processor, and how
    /// long it may take until then.
    static let restSeconds = 0.04
    static let restShare = 0.02
    static let rests = 20.0
    /// How long the server may take to greet, and to answer the calls that are open at the end.
    static let graceSeconds = 5.0
}
