import Memory
import Protobuf
import Testing

/// The bounds of the codec.
struct LimitTests {
    @Test func theLimitsFitTogether() {
        #expect(CodecLimits.decodedBytes >= 4 * CodecLimits.maxMessageBytes)
        #expect(
            CodecLimits.arenaBytes
                >= CodecLimits.decodedBytes + 4 * CodecLimits.maxMessageBytes)
        #expect(MemoryLimits.arenaKeptBytes < CodecLimits.arenaBytes)
        #expect(CodecLimits.maxMessageBytes < CodecLimits.longestEncodingBytes)
    }
}
