import Testing

@testable import Compression

/// Compressed bytes come back when they are expanded, and no other bytes do.
struct CompressionTests {
    private static func deflated(_ bytes: [UInt8], _ format: CompressionFormat) -> [UInt8]? {
        let deflater = Deflater(format)
        // Its output lives as long as the deflater.
        return withExtendedLifetime(deflater) {
            bytes.withUnsafeBytes { deflater?.deflate($0).map { Array($0) } }
        }
    }

    private static func inflated(
        _ bytes: [UInt8], _ format: CompressionFormat, limit: Int = 1 << 20,
        _ inflater: Inflater = Inflater()
    ) -> Result<[UInt8], InflateError> {
        withExtendedLifetime(inflater) {
            bytes.withUnsafeBytes { bytes in
                do throws(InflateError) {
                    return .success(Array(try inflater.inflate(bytes, format, limit: limit)))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    @Test(arguments: CompressionFormat.allCases, [100, 1_023, 1_024, 1_025, 70_000, 1 << 20])
    func bytesOfAllSizesComeBack(format: CompressionFormat, count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 40) }
        let packed = try #require(Self.deflated(bytes, format))
        #expect(packed.count < count)
        #expect(Self.inflated(packed, format) == .success(bytes))
    }

    @Test func oneInflaterServesManyMessagesOfBothFormats() throws {
        let inflater = Inflater()
        for round in 1...20 {
            for format in CompressionFormat.allCases {
                let bytes = [UInt8](repeating: UInt8(round), count: round * 997)
                let packed = try #require(Self.deflated(bytes, format))
                #expect(Self.inflated(packed, format, inflater) == .success(bytes))
                // A broken message does not spoil later ones.
                #expect(Self.inflated([1, 2, 3], format, inflater) == .failure(.malformed))
                inflater.trim(to: round * 100)
            }
        }
    }

    @Test func oneDeflaterServesManyMessages() throws {
        let deflater = try #require(Deflater(.gzip))
        for count in [500, 100_000, 3_000] {
            let bytes = [UInt8](repeating: 7, count: count)
            let packed = withExtendedLifetime(deflater) {
                bytes.withUnsafeBytes { deflater.deflate($0).map { Array($0) } }
            }
            #expect(Self.inflated(try #require(packed), .gzip) == .success(bytes))
            deflater.trim(to: 1_024)
        }
    }

    @Test func whatDoesNotShrinkStaysAsItIs() {
        #expect(Self.deflated([], .gzip) == nil)
        #expect(Self.deflated([1, 2, 3], .gzip) == nil)
        var state: UInt64 = 7
        let noise = (0..<4_000).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
        #expect(Self.deflated(noise, .zlib) == nil)
    }

    @Test(arguments: CompressionFormat.allCases)
    func theLimitIsOfTheExpandedBytes(format: CompressionFormat) throws {
        let packed = try #require(Self.deflated([UInt8](repeating: 0, count: 100_000), format))
        #expect(packed.count < 1_000)
        #expect(Self.inflated(packed, format, limit: 99_999) == .failure(.tooLong))
        #expect(Self.inflated(packed, format, limit: 100_000).map(\.count) == .success(100_000))
        // The limit also holds if an earlier message has left more room than this one may take.
        let inflater = Inflater()
        _ = Self.inflated(packed, format, inflater)
        #expect(Self.inflated(packed, format, limit: 99_999, inflater) == .failure(.tooLong))
        #expect(Self.inflated(packed, format, limit: 0, inflater) == .failure(.tooLong))
    }

    @Test func aBombTakesNoMoreRoomThanTheLimit() throws {
        let bomb = try #require(Self.deflated([UInt8](repeating: 0, count: 1 << 26), .gzip))
        let inflater = Inflater()
        #expect(Self.inflated(bomb, .gzip, limit: 1 << 16, inflater) == .failure(.tooLong))
        #expect(inflater.roomBytes <= max(1 << 16 + 1, 2 * bomb.count))
    }

    @Test(arguments: CompressionFormat.allCases)
    func everyTruncationAndWhatFollowsTheEndIsRefused(format: CompressionFormat) throws {
        let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let packed = try #require(Self.deflated(bytes, format))
        for count in 0..<packed.count {
            #expect(Self.inflated(Array(packed.prefix(count)), format) == .failure(.malformed))
        }
        #expect(Self.inflated(packed + [0], format) == .failure(.malformed))
        #expect(Self.inflated(packed + [0x1F], format) == .failure(.malformed))
        #expect(Self.inflated(packed + [0, 0, 0, 0], format) == .failure(.malformed))
        // The checksum is the last thing but the length that gzip adds.
        var wrong = packed
        wrong[packed.count - 5] ^= 1
        #expect(Self.inflated(wrong, format) == .failure(.malformed))
    }

    @Test func aGzipStreamOfSeveralMembersIsAllOfThem() throws {
        let parts = (1...5).map { [UInt8](repeating: UInt8($0), count: $0 * 700) }
        let packed = try parts.map { try #require(Self.deflated($0, .gzip)) }
        let inflater = Inflater()
        #expect(
            Self.inflated(packed.flatMap { $0 }, .gzip, inflater)
                == .success(parts.flatMap { $0 }))
        #expect(inflater.work == 10_500 + 4 * CompressionLimits.memberBytes)
        // After a member comes another whole and valid member, or the end.
        let two = packed[0] + packed[1]
        for count in (packed[0].count + 1)..<two.count {
            #expect(Self.inflated(Array(two.prefix(count)), .gzip) == .failure(.malformed))
        }
        #expect(Self.inflated(two + [0], .gzip) == .failure(.malformed))
        #expect(Self.inflated(packed[0] + [0] + packed[1], .gzip) == .failure(.malformed))
        var wrong = two
        wrong[two.count - 5] ^= 1
        #expect(Self.inflated(wrong, .gzip) == .failure(.malformed))
        // The format that gRPC calls deflate has no members.
        let zlib = try #require(Self.deflated(parts[0], .zlib))
        #expect(Self.inflated(zlib + zlib, .zlib) == .failure(.malformed))
        #expect(Self.inflated(packed[0] + zlib, .gzip) == .failure(.malformed))
    }

    @Test func theLimitIsOfAllMembersTogether() throws {
        let packed = try #require(Self.deflated([UInt8](repeating: 0, count: 1_000), .gzip))
        let three = packed + packed + packed
        #expect(Self.inflated(three, .gzip, limit: 3_000).map(\.count) == .success(3_000))
        #expect(Self.inflated(three, .gzip, limit: 2_999) == .failure(.tooLong))
        #expect(Self.inflated(three, .gzip, limit: 2_000) == .failure(.tooLong))
    }

    /// An empty member: a header without names, an empty block of fixed codes, checksum and length.
    private static let emptyMember: [UInt8] =
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + [3, 0] + [UInt8](repeating: 0, count: 8)

    @Test func membersThatMakeNothingAreBoundedAndCounted() throws {
        let most = CompressionLimits.gzipMembers
        let inflater = Inflater()
        let within = [[UInt8]](repeating: Self.emptyMember, count: most).flatMap { $0 }
        #expect(Self.inflated(within, .gzip, limit: 0, inflater) == .success([]))
        #expect(inflater.work == (most - 1) * CompressionLimits.memberBytes)
        #expect(
            Self.inflated(within + Self.emptyMember, .gzip, inflater) == .failure(.tooManyMembers))
        #expect(inflater.work == (most - 1) * CompressionLimits.memberBytes)
        #expect(Self.inflated(Self.emptyMember, .gzip, inflater) == .success([]))
        #expect(inflater.work == 0)
    }

    @Test func aFormatIsNotTakenForTheOther() throws {
        let bytes = [UInt8](repeating: 3, count: 500)
        let gzip = try #require(Self.deflated(bytes, .gzip))
        let zlib = try #require(Self.deflated(bytes, .zlib))
        #expect(Self.inflated(gzip, .zlib) == .failure(.malformed))
        #expect(Self.inflated(zlib, .gzip) == .failure(.malformed))
    }
}
