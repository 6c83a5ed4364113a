import Testing

@testable import HTTP2

/// The parts of a compressed block, and whether they change the compression table.
struct CompressedBlockTests {
    private func leavesTable(_ block: [UInt8]) -> Bool {
        block.withUnsafeBytes { CompressedBlock.leavesTable($0) }
    }

    private func parts(_ block: [UInt8]) -> [[UInt8]] {
        block.withUnsafeBytes { bytes in
            var parts: [[UInt8]] = []
            var rest = CompressedBlock(bytes)
            while let part = rest.next() { parts.append(Array(part)) }
            return parts
        }
    }

    /// Fields that are in the table, or in none.
    private static let fields: [[UInt8]] = [
        [0x82], [0xBE], [0xFF, 0x00], [0xFF, 0x7F], [0xFF, 0x80, 0x01],
        [0x00, 1, 0x61, 2, 0x62, 0x63], [0x10, 0x81, 0x1F, 0x00], [0x04, 1, 0x2F],
        [0x0F, 0x10, 1, 0x61], [0x1F, 0x80, 0x01, 0],
        [0x00, 1, 0x61, 0x7F, 0x01] + [UInt8](repeating: 0x62, count: 128),
    ]

    @Test(arguments: fields) func aFieldThatIsInNoTableOrInItAlreadyLeavesIt(field: [UInt8]) {
        #expect(leavesTable(field))
        #expect(parts(field) == [field])
        for count in 1..<field.count { #expect(!leavesTable(Array(field.prefix(count)))) }
    }

    @Test(
        arguments: [
            ([0x82], nil), ([0xFF, 0x00], nil), ([0x00, 1, 0x61, 2, 0x62, 0x63], 3),
            ([0x14, 1, 0x2F], 1), ([0x0F, 0x10, 1, 0x61], 2), ([0x40, 1, 0x61, 1, 0x62], nil),
            ([], nil),
        ] as [([UInt8], Int?)])
    func theValueStandsBehindTheName(part: [UInt8], offset: Int?) {
        #expect(part.withUnsafeBytes { CompressedBlock.valueOffset(in: $0) } == offset)
    }

    @Test func aBlockHasAPartForEachField() {
        #expect(leavesTable(Self.fields.flatMap { $0 }))
        #expect(parts(Self.fields.flatMap { $0 }) == Self.fields)
        #expect(leavesTable([]) && parts([]).isEmpty)
    }

    @Test(arguments: [
        // A field that is added, by its name or by its number.
        [0x40, 1, 0x61, 1, 0x62], [0x44, 1, 0x2F], [0x7F, 0x01, 1, 0x61],
        // A new size of the table.
        [0x20], [0x3F, 0xE1, 0x1F],
        // A number that goes on and on.
        [0xFF, 0x80, 0x80, 0x01], [0x00, 0x7F, 0x80, 0x80, 0x01],
    ]) func otherPartsCountAsChanges(part: [UInt8]) {
        #expect(!leavesTable(part))
        #expect(!leavesTable([0x82] + part))
        #expect(parts([0x82] + part) == [[0x82]])
    }
}
