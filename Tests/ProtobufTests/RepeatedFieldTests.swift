import Memory
import Testing

@testable import Protobuf

/// The elements of a list are counted in the bytes of a message, and the texts of a list are read.
struct RepeatedFieldTests {
    private static let names = RepeatedField(Everything.schema, "names")

    /// The most elements that the bytes have, as far as `hasMore` tells.
    private func count(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            (0...64).first { !Self.names.hasMore(than: $0, in: bytes) } ?? -1
        }
    }

    @Test func theElementsOfOneFieldAreCounted() throws {
        for total in 0...20 {
            var message = Everything()
            message.names = (0..<total).map { String(repeating: "x", count: $0 * 17) }
            message.leaves = [Leaf(), Leaf()]
            message.i32s = [1, 2, 3]
            (message.flag, message.name, message.real) = (true, "name", 0.5)
            message.labels = ["a": "b"]
            #expect(count(try encode(message)) == total)
        }
    }

    @Test func otherRecordsBetweenTheElementsArePassedOver() {
        // A number, eight bytes, four bytes, a group with a text in it, and a long tag.
        let others: [[UInt8]] = [
            [0x08, 0x80, 0x01], [0x09] + [UInt8](repeating: 0xDA, count: 8),
            [0x0D, 0xDA, 0x01, 0xDA, 0x01], [0x0B] + counted(27, [0x61]) + [0x0C],
            counted(4_000, [0xDA, 0x01, 0x00]),
        ]
        let name = counted(27, [0x61])
        #expect(count(others.flatMap { name + $0 } + name) == others.count + 1)
    }

    @Test func elementsBehindAnErrorAreNotCounted() {
        let name = counted(27, [0x61])
        for malformed in [[0xDA, 0x01, 0x7F], [0xDA, 0x01, 0xFF], [0x00], [0x0F], [0x80]]
            as [[UInt8]]
        {
            #expect(count(name + name + malformed) == 2, "\(hex(malformed))")
            #expect(count(name + name + malformed + name) == 2, "\(hex(malformed))")
        }
        #expect(count([]) == 0)
        #expect(!Self.names.hasMore(than: 0, in: UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    /// No more is looked at than is needed: the error behind the limit is not reached.
    @Test func theCountEndsAtItsLimit() {
        let name = counted(27, [])
        let bytes: [UInt8] = name + name + name + name + [0x00]
        bytes.withUnsafeBytes { bytes in
            #expect(Self.names.hasMore(than: 3, in: bytes))
            #expect(!Self.names.hasMore(than: 4, in: bytes))
        }
    }

    @Test func aFieldOfSmallNumberIsCountedInARun() throws {
        let paths = RepeatedField(FieldMask.schema, "paths")
        for total in [0, 1, 2, 3, 40] {
            for length in [0, 1, 127, 128, 300] {
                let text = String(repeating: "p", count: length)
                let bytes = try encode(FieldMask(Array(repeating: text, count: total)))
                bytes.withUnsafeBytes { bytes in
                    if total > 0 { #expect(paths.hasMore(than: total - 1, in: bytes)) }
                    #expect(!paths.hasMore(than: total, in: bytes))
                    let cut = UnsafeRawBufferPointer(rebasing: bytes.dropLast())
                    if total > 0 { #expect(!paths.hasMore(than: total - 1, in: cut)) }
                }
            }
        }
    }

    // MARK: The texts of a list

    @Test func aListOfAnyLengthIsReadWithItsEmptyTexts() throws {
        for total in 0...12 {
            let names = (0..<total).map { String(repeating: "y", count: $0 % 3 * 9) }
            try Arena.temporary { arena in
                var message = Everything()
                message.names = names
                message.views = try names.map { try #require(arena.text($0)) }
                let bytes = try Coder(Everything.self).bytes(message, arena)
                // A message that is filled again keeps the memory of its lists.
                var filled = Everything()
                for _ in 0..<3 {
                    try bytes.withUnsafeBytes { bytes in
                        try Coder(Everything.self).fill(&filled, bytes, arena)
                    }
                    #expect(filled.views.map { String($0) } == names)
                    #expect(filled.names == names)
                }
                filled.views = ["left over"]
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                try Coder(Everything.self).fill(&filled, empty, arena)
                #expect(filled.views.isEmpty)
            }
        }
    }

    @Test func aListOfAnyLengthIsReadOverOneOfAnyOther() throws {
        for before in 0...6 {
            for after in 0...6 {
                try Arena.temporary { arena in
                    let lists = try [("old", before), ("new", after)].map { word, count in
                        try (0..<count).map { try #require(arena.text("\(word) \($0)")) }
                    }
                    var filled = Everything()
                    var copies: [[String]] = []
                    var kept: [[Text]] = []
                    for list in lists {
                        var message = Everything()
                        message.views = list
                        let bytes = try Coder(Everything.self).bytes(message, arena)
                        let held = try #require(bytes.withUnsafeBytes { arena.copy($0) })
                        try Coder(Everything.self).fill(&filled, held, arena)
                        copies.append(list.map { String($0) })
                        kept.append(filled.views)
                    }
                    // A copy of the list from before stays as it was.
                    #expect(kept.map { $0.map { String($0) } } == copies, "\(before), \(after)")
                }
            }
        }
    }

    @Test func anErrorInAnyTextOfAListIsFound() {
        let name = counted(2, [0x61])
        for before in 0..<4 {
            let good = (0..<before).flatMap { _ in name }
            for malformed in [
                [0x12, 0x7F], [0x12, 0xFF], [0x12], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            ]
                as [[UInt8]]
            {
                let error = error { () throws(CodecError) in
                    try decode(TwoLists.self, good + malformed)
                }
                #expect(error?.code == .malformed, "\(before), \(hex(malformed))")
            }
        }
    }

    @Test func theRecordsOfTwoListsMayBeMixed() throws {
        let bytes =
            counted(2, [0x61]) + counted(2, [0x62]) + counted(3, [0x63]) + counted(2, [])
            + counted(9, [0x64]) + counted(2, [0x65]) + [0x08, 0x05] + counted(2, [0x66])
        let message = try decode(TwoLists.self, bytes)
        #expect(message.texts == ["a", "b", "", "e", "f"])
        #expect(message.others == ["c"])
        #expect(message.number == 5)
    }

    /// Each text takes of the memory that one message may take, also in a run.
    @Test func aListOfVeryManyTextsIsTooLarge() {
        let count = CodecLimits.decodedBytes / 48
        let bytes = [UInt8]((0..<count).map { _ in [0x12, 0] as [UInt8] }.joined())
        let error = error { () throws(CodecError) in try decode(TwoLists.self, bytes) }
        #expect(error?.code == .tooLarge)
    }

    private struct TwoLists: CodedMessage {
        var number: Int32 = 0
        var texts: [String] = []
        var others: [String] = []

        static let schema = Schema("relation.test.v1.TwoLists", TwoLists.self)

        mutating func visit(_ visitor: inout some FieldVisitor) {
            visitor.field(1, "number", &number)
            visitor.field(2, "texts", &texts)
            visitor.field(3, "others", &others)
        }
    }
}
