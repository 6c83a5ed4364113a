import Synchronization
import Testing

@testable import StorageRocks

/// The free space of a device whose answers and clock a test sets.
@Suite struct FreeSpaceTests {
    private final class Device: Sendable {
        let free = Atomic<UInt64>(0)
        let now = Atomic<UInt64>(5_000)
        let asked = Atomic<Int>(0)
        let isMute = Atomic<Bool>(false)
    }

    private let device = Device()
    private let reserve: UInt64 = 2 << 30

    private func space() -> FreeSpace {
        FreeSpace(
            reserve: reserve,
            ask: { [device] in
                device.asked.add(1, ordering: .relaxed)
                let isMute = device.isMute.load(ordering: .relaxed)
                return isMute ? nil : device.free.load(ordering: .relaxed)
            },
            clock: { [device] in device.now.load(ordering: .relaxed) })
    }

    private var asked: Int { device.asked.load(ordering: .relaxed) }

    @Test func aRoomyDeviceIsAskedOnceInAWhile() {
        let space = space()
        device.free.store(reserve + Limits.freeSpaceMargin + 1, ordering: .relaxed)
        for _ in 0..<10 { #expect(space.bytes == reserve + Limits.freeSpaceMargin + 1) }
        #expect(asked == 1)
        device.free.store(reserve, ordering: .relaxed)
        device.now.add(Limits.freeSpaceMilliseconds - 1, ordering: .relaxed)
        #expect(space.bytes != reserve && asked == 1)
        device.now.add(1, ordering: .relaxed)
        #expect(space.bytes == reserve && asked == 2)
    }

    @Test(arguments: [0, 1, 2 << 30, (2 << 30) + (1 << 30)] as [UInt64])
    func aDeviceThatIsNearlyFullIsAskedEachTime(_ free: UInt64) {
        let space = space()
        device.free.store(free, ordering: .relaxed)
        for time in 1...5 { #expect(space.bytes == free && asked == time) }
    }

    @Test func aDeviceThatDoesNotAnswerIsAskedAgain() {
        let space = space()
        device.isMute.store(true, ordering: .relaxed)
        #expect(space.bytes == nil && space.bytes == nil && asked == 2)
        device.isMute.store(false, ordering: .relaxed)
        device.free.store(.max, ordering: .relaxed)
        #expect(space.bytes == .max && space.bytes == .max && asked == 3)
    }
}
