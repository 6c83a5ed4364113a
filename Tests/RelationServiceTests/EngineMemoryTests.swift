import Storage
import Testing

@testable import RelationRuntime

/// When the memory that the engine has freed goes back to the system.
struct EngineMemoryTests {
    private static let unit = EngineMemory.leastFreedBytes

    /// The next look at an engine with such buffers; the calls between two looks see nothing.
    private func check(
        _ memory: inout EngineMemory, _ bytes: Int64, flushes: Int64 = 0, compactions: Int64 = 0
    ) -> Bool {
        var gauges = StoreGauges()
        gauges.writeBufferBytes = bytes
        (gauges.runningFlushes, gauges.runningCompactions) = (flushes, compactions)
        var looks = 0
        let result = memory.hasFreedMuch {
            looks += 1
            return gauges
        }
        for _ in 1..<EngineMemory.callsBetweenLooks {
            let isMuch = memory.hasFreedMuch {
                looks += 1
                return gauges
            }
            #expect(!isMuch)
        }
        #expect(looks == 1)
        return result
    }

    @Test func buffersThatWereWrittenOutAreNoticedOnce() {
        var memory = EngineMemory()
        #expect(!check(&memory, 4 * Self.unit))
        #expect(!check(&memory, 3 * Self.unit + 1))
        #expect(check(&memory, 0))
        #expect(!check(&memory, 0))
        #expect(!check(&memory, Self.unit - 1))
        #expect(!check(&memory, 0))
        #expect(!check(&memory, Self.unit))
        #expect(check(&memory, 0))
    }

    @Test func anEngineThatWorksIsWaitedForButNotForEver() {
        var memory = EngineMemory()
        #expect(!check(&memory, 4 * Self.unit, flushes: 1))
        #expect(!check(&memory, 0, flushes: 1))
        #expect(!check(&memory, 0, compactions: 1))
        #expect(check(&memory, 0))
        #expect(!check(&memory, 4 * Self.unit))
        for _ in 0..<EngineMemory.mostBusyLooks {
            #expect(!check(&memory, 0, compactions: 1))
        }
        #expect(check(&memory, 0, compactions: 1))
    }

    @Test func aStoreWithoutSuchBuffersNeverFreesAny() {
        var memory = EngineMemory()
        for _ in 0..<3 { #expect(!check(&memory, 0)) }
    }
}
