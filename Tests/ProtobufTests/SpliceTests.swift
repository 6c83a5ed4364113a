import Memory
import Testing

@testable import Protobuf

/// A splice writes what the codec writes.
struct SpliceTests {
    private static let paths = SplicedField(FieldMask.schema, "paths")
    private static let numbers: [UInt64] = [
        0, 1, 127, 128, 16_383, 16_384, 1 << 56, .max >> 1, .max,
    ]

    @Test func fieldsAreAppendedAsTheCodecWritesThem() throws {
        try Arena.temporary { arena in
            let texts = ["", "a"] + [127, 300].map { String(repeating: "x", count: $0) }
            let whole = try Coder(FieldMask.self).bytes(FieldMask(texts), arena)
            let first = try arena.encode(FieldMask([texts[0]]))
            var splice = try Splice(room: 4 * Splice.prefixBytes + 500, in: arena)
            first.withBytes { splice.append($0) }
            for text in texts.dropFirst() {
                Array(text.utf8).withUnsafeBytes { splice.append(Self.paths, $0) }
            }
            let spliced: Encoded<FieldMask> = splice.finished()
            #expect(spliced.withBytes { Array($0) } == whole)
            #expect(try spliced.decoded(arena).paths == texts)
        }
    }

    @Test(arguments: numbers)
    func aNumberFillsItsRoomAndNoMore(_ number: UInt64) throws {
        try Arena.temporary { arena in
            var message = Everything()
            message.optU64 = number
            let field = SplicedField(Everything.schema, "opt_u64")
            let bytes = try Coder(Everything.self).bytes(message, arena)
            var splice = try Splice(room: bytes.count, in: arena)
            splice.append(field, number)
            let spliced: Encoded<Everything> = splice.finished()
            #expect(spliced.withBytes { Array($0) } == bytes)
        }
    }

    /// The tags, sizes and short texts of a message in a message.
    @Test func aShortTextIsAppendedAsTheCodecWritesIt() throws {
        let (leaves, text) = (
            SplicedField(Everything.schema, "leaves"), SplicedField(Leaf.schema, "s")
        )
        for count in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 64, 125, 126, 127, 128, 300, 20_000] {
            try Arena.temporary { arena in
                let leaf = Leaf(s: String(repeating: "x", count: count))
                let bytes = try encode(leaf)
                #expect(text.size(of: count) == bytes.count)
                let whole = try encode(Everything(leaves: [leaf]))
                #expect(leaves.size(of: bytes.count) == whole.count)
                var splice = try Splice(room: whole.count, in: arena)
                splice.appendPrefix(of: leaves, count: bytes.count)
                splice.append(text, short: try #require(arena.text(leaf.s)))
                let spliced: Encoded<Everything> = splice.finished()
                #expect(spliced.withBytes { Array($0) } == whole)
                var other = try Splice(room: bytes.count, in: arena)
                bytes.withUnsafeBytes { other.append(short: $0) }
                #expect(other.finished(as: Leaf.self).withBytes { Array($0) } == bytes)
            }
        }
    }

    @Test func aSpliceThatTheArenaCannotHoldIsRefused() {
        _ = Arena.temporary(capacity: 4096) { arena in
            #expect(throws: CodecError(.outOfMemory, "")) {
                try Splice(room: 5000, in: arena)
            }
        }
    }
}
