/// HPACK's Huffman code (RFC 7541, appendix B), to read the server's headers.
///
/// The code is canonical: the codes of one length count up in the order of their symbols. So the
/// lengths alone define the code, and a code is recognised by comparing it with the first of its
/// length.
struct HuffmanCode {
    /// The length of each symbol's code in bits; the last symbol, 256, is the end mark.
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]
    private static let longest = 30
    private static let endMark = 256

    /// All symbols, ordered by the length of their code and then by value.
    private let symbols: [Int]

    /// By length: the first code, the index of its symbol in ``symbols``, and how many there are.
    private var firstCode = [Int](repeating: 0, count: longest + 1)
    private var firstIndex = [Int](repeating: 0, count: longest + 1)
    private var count = [Int](repeating: 0, count: longest + 1)

    init() {
        symbols = Self.lengths.indices.sorted {
            (Self.lengths[$0], $0) < (Self.lengths[$1], $1)
        }
        for length in Self.lengths { count[Int(length)] += 1 }
        for length in 1...Self.longest {
            firstCode[length] = (firstCode[length - 1] + count[length - 1]) << 1
            firstIndex[length] = firstIndex[length - 1] + count[length - 1]
        }
    }

    /// The text that `bytes` stand for, or nil if they are not a valid code.
    func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        var code = 0
        var length = 0
        for byte in bytes {
            for shift in stride(from: 7, through: 0, by: -1) {
                code = code << 1 | Int(byte >> UInt8(shift)) & 1
                length += 1
                guard length <= Self.longest else { return nil }
                let offset = code - firstCode[length]
                guard offset >= 0, offset < count[length] else { continue }
                let symbol = symbols[firstIndex[length] + offset]
                guard symbol != Self.endMark else { return nil }
                text.append(UInt8(symbol))
                code = 0
                length = 0
            }
        }
        // The rest must be the beginning of the end mark: all ones, shorter than a byte.
        guard length < 8, code == 1 << length - 1 else { return nil }
        return text
    }
}
