import Testing

@testable import relationbench

@Suite struct HeaderTests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        hexadecimal.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private static func read(
        _ block: [UInt8], _ headers: inout AnswerHeaders
    ) throws -> [AnswerHeaders.Meaning] {
        var meanings: [AnswerHeaders.Meaning] = []
        try headers.read(block, block.indices) { meanings.append($0) }
        return meanings
    }

    /// The example of RFC 7541, appendix C.6: Huffman code, and a table that evicts.
    @Test func theExampleOfTheSpecificationIsRead() throws {
        var headers = AnswerHeaders()
        let size = Self.bytes("3f e1 01")
        let first = Self.bytes(
            "48 82 64 02 58 85 ae c3 77 1a 4b 61 96 d0 7a be 94 10 54 d4 44 a8 20 05 95 04 0b 81"
                + " 66 e0 82 a6 2d 1b ff 6e 91 9d 29 ad 17 18 63 c7 8f 0b 97 c8 e9 ae 82 ae 43 d3")
        let second = Self.bytes("48 83 64 0e ff c1 c0 bf")
        let third = Self.bytes(
            "88 c1 61 96 d0 7a be 94 10 54 d4 44 a8 20 05 95 04 0b 81 66 e0 84 a6 2d 1b ff c0 5a"
                + " 83 9b d9 ab 77 ad 94 e7 82 1d d7 f2 e6 c7 b3 35 df df cd 5b 39 60 d5 af 27 08"
                + " 7f 36 72 c1 ab 27 0f b5 29 1f 95 87 31 60 65 c0 03 ed 4e e5 b1 06 3d 50 07")
        let others = [AnswerHeaders.Meaning](repeating: .other, count: 3)
        #expect(try Self.read(size + first, &headers) == [.httpStatus(302)] + others)
        #expect(try Self.read(second, &headers) == [.httpStatus(307)] + others)
        #expect(try Self.read(third, &headers) == [.httpStatus(200)] + others + [.other, .other])
    }

    @Test func aStatusIsReadInEveryForm() throws {
        let name = Array("grpc-status".utf8)
        var headers = AnswerHeaders()
        let plain: [UInt8] = [0x00, 11] + name + [1] + Array("0".utf8)
        let added: [UInt8] = [0x40, 11] + name + [2] + Array("12".utf8)
        let indexed: [UInt8] = [0xBE]
        let named: [UInt8] = [0x0F, 62 - 15, 1] + Array("7".utf8)
        #expect(try Self.read(plain, &headers) == [.grpcStatus(0)])
        #expect(try Self.read(added, &headers) == [.grpcStatus(12)])
        #expect(try Self.read(indexed, &headers) == [.grpcStatus(12)])
        #expect(try Self.read(named, &headers) == [.grpcStatus(7)])
    }

    @Test(arguments: [
        "80", "be", "40", "40 05 61", "3f ff ff 03", "ff ff ff ff ff ff ff", "00 81 00 81 ff",
    ])
    func brokenBlocksAreRefused(hexadecimal: String) {
        var headers = AnswerHeaders()
        #expect(throws: FloodError.self) {
            try Self.read(Self.bytes(hexadecimal), &headers)
        }
    }

    @Test func laterRequestsAreAByteAField() throws {
        let head = RequestHead(
            path: "/a.B/C", authority: "127.0.0.1:1", metadata: [("x-app-id", "1")])
        #expect(head.later == [0x83, 0x86, 0xC3, 0xC2, 0xC1, 0xC0, 0xBF, 0xBE])
        // Our own reader must read the same fields in the same order from both blocks.
        var headers = AnswerHeaders()
        let first = try Self.read(head.first, &headers)
        #expect(try Self.read(head.later, &headers) == first)
        #expect(first.count == 8)
    }

    @Test func percentilesAreExactToABucket() {
        var histogram = LatencyHistogram()
        for value in 1...100_000 { histogram.add(nanoseconds: UInt64(value)) }
        for (share, exact) in [(0.5, 50_000.0), (0.99, 99_000.0), (0.0001, 10.0)] {
            let found = Double(histogram.percentile(share).components.attoseconds) / 1e9
            #expect(found >= exact && found <= exact * 1.016)
        }
        #expect(histogram.percentile(1) == .nanoseconds(100_000))
        #expect(LatencyHistogram().percentile(0.5) == .zero)
        histogram.add(nanoseconds: UInt64.max / 2)
        #expect(histogram.highestNanoseconds == UInt64.max / 2)
    }
}
