import NIOCore
import Testing

@testable import GRPC
@testable import GRPCWire

/// The buffer into which the connections of a loop read.
struct ReceiveRoomTests {
    private let room = ReceiveRoom()
    private let allocator = ByteBufferAllocator()

    /// Where the bytes of a buffer are.
    private func place(_ buffer: inout ByteBuffer) -> UInt {
        buffer.withVeryUnsafeMutableBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func aConnectionKeepsOnlyTheBufferOfItsFirstRead() {
        var connection = ReceiveAllocator(room)
        let first = connection.buffer(allocator: allocator)
        #expect(first.capacity == CallLimits.firstReadBytes)
        let isTooSmall = connection.record(actualReadBytes: 1)
        #expect(isTooSmall && connection.nextBufferSize() == nil)
        room.release(first)
        #expect(connection.buffer(allocator: allocator).capacity == CallLimits.bytesPerSlice)
    }

    @Test func connectionsReadIntoTheSameMemory() {
        var places: Set<UInt> = []
        for _ in 0..<3 {
            var connection = ReceiveAllocator(room)
            _ = connection.record(actualReadBytes: 1)
            var buffer = connection.buffer(allocator: allocator)
            #expect(buffer.readableBytes == 0)
            buffer.writeInteger(7 as UInt64)
            places.insert(place(&buffer))
            room.release(buffer)
        }
        #expect(places.count == 1)
    }

    @Test func aBufferThatIsStillReadIsNotWrittenTo() {
        var connection = ReceiveAllocator(room)
        _ = connection.record(actualReadBytes: 1)
        var buffer = connection.buffer(allocator: allocator)
        buffer.writeInteger(7 as UInt64)
        room.release(buffer)
        var next = connection.buffer(allocator: allocator)
        next.writeInteger(8 as UInt64)
        #expect(buffer.getInteger(at: 0, as: UInt64.self) == 7)
    }
}
