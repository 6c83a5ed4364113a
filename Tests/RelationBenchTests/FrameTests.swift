import Testing

@testable import relationbench

@Suite struct FrameTests {
    /// Three frames: settings, data on stream 5 and an acknowledged ping.
    private static let bytes: [UInt8] =
        [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0]
        + [0, 0, 3, 0, 1, 0, 0, 0, 5, 1, 2, 3]
        + [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]

    private static func frames(of bytes: [UInt8], inPartsOf size: Int) throws -> [[UInt8]] {
        var reader = FrameReader()
        var rest = bytes[...]
        var frames: [[UInt8]] = []
        while !rest.isEmpty {
            let part = rest.prefix(size)
            rest = rest.dropFirst(size)
            _ = reader.fill { buffer in
                buffer.copyBytes(from: part)
                return part.count
            }
            while let frame = try reader.next() {
                var whole: [UInt8] = []
                whole.append(frame: frame.head)
                frames.append(whole + reader.bytes[frame.payload])
            }
        }
        return frames
    }

    @Test(arguments: [1, 2, 3, 9, 10, 16, 1_000])
    func framesAreTheSameHoweverTheyArrive(size: Int) throws {
        let frames = try Self.frames(of: Self.bytes, inPartsOf: size)
        #expect(frames.count == 3)
        #expect(Array(frames.joined()) == Self.bytes)
    }

    @Test func framesSurviveTheEndOfTheBuffer() throws {
        var frame: [UInt8] = []
        frame.append(frame: FrameHead(length: 10_007, kind: .data, flags: 0, stream: 7))
        frame += (0..<10_007).map { UInt8($0 % 251) }
        let many = [[UInt8]](repeating: frame, count: 100)
        let frames = try Self.frames(of: Array(many.joined()), inPartsOf: 4_099)
        #expect(frames == many)
    }

    @Test func aFrameLongerThanAnnouncedIsRefused() {
        #expect(throws: FloodError.self) {
            try Self.frames(of: [0, 0x40, 1, 0, 0, 0, 0, 0, 1], inPartsOf: 9)
        }
    }

    @Test func theReservedBitOfTheStreamIsIgnored() throws {
        let frames = try Self.frames(of: [0, 0, 0, 9, 4, 0x80, 0, 0, 3], inPartsOf: 9)
        #expect(frames == [[0, 0, 0, 9, 4, 0, 0, 0, 3]])
    }

    @Test func aLongRequestIsCutIntoFramesThatEndTheStreamOnce() throws {
        let message = (0..<40_000).map { UInt8($0 % 256) }
        let body = RequestBody(Flood.Request(message: message, answer: nil))
        var bytes = body.frames
        for offset in body.streamOffsets { bytes.patch(bigEndian: 9, at: offset) }
        var sent: [UInt8] = []
        var flags: [UInt8] = []
        for frame in try Self.frames(of: bytes, inPartsOf: 50_000) {
            #expect(frame.uint32(at: 5) == 9)
            flags.append(frame[4])
            sent += frame[9...]
        }
        #expect(flags == [0, 0, 1])
        #expect(sent == [0, 0, 0, 0x9C, 0x40] + message)
        #expect(body.windowBytes == sent.count)
    }
}
