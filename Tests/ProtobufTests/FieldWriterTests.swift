import Memory
import Testing

@testable import Protobuf

/// Fields that are put around encoded parts.
@Suite struct FieldWriterTests {
    @Test(arguments: [0, 1, 127, 128, 300, 16_383, 16_384, 70_000])
    func aFieldIsReadWithItsBytes(length: Int) throws {
        let output = OutputBuffer(capacity: 16)
        output.append([8, 1])
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        for number: UInt32 in [2, 15, 16, 2_047, 1 << 29 - 1] {
            bytes.withUnsafeBytes { FieldWriter.append(number, $0, to: output) }
        }
        var walk = FieldWalk(output.bytes)
        let first = try walk.next()
        #expect(first?.number == 1)
        for number: UInt32 in [2, 15, 16, 2_047, 1 << 29 - 1] {
            let next = try walk.next()
            #expect(next?.number == number)
            guard case .bytes(let found)? = next?.value else {
                Issue.record("the field has no bytes")
                continue
            }
            #expect(Array(found) == bytes)
        }
        let end = try walk.next()
        #expect(end == nil)
    }

    @Test(arguments: [1, 127, 128, 1 << 40, .max, -1] as [Int64])
    func aNumberIsReadAsItWasWritten(value: Int64) throws {
        let output = OutputBuffer(capacity: 16)
        FieldWriter.append(8, 0, to: output)
        #expect(output.isEmpty)
        FieldWriter.append(8, value, to: output)
        var walk = FieldWalk(output.bytes)
        let next = try walk.next()
        guard case .varint(let found)? = next?.value else {
            Issue.record("the field has no number")
            return
        }
        #expect(next?.number == 8 && Int64(bitPattern: found) == value)
        let end = try walk.next()
        #expect(end == nil)
    }
}
