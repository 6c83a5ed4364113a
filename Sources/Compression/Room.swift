import CZlib

/// Room that grows, for bytes that are made in several steps.
struct Room: ~Copyable {
    private(set) var start = UnsafeMutableRawPointer.allocate(byteCount: 1_024, alignment: 16)
    private(set) var count = 1_024

    deinit {
        start.deallocate()
    }

    /// Makes the room at least as large as `wanted`, keeping its first `used` bytes.
    mutating func grow(to wanted: Int, keeping used: Int) {
        guard wanted > count else { return }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        larger.copyMemory(from: start, byteCount: used)
        start.deallocate()
        (start, count) = (larger, wanted)
    }

    /// Gives back the room beyond `limit`; the bytes in the room are then lost.
    mutating func shrink(to limit: Int) {
        guard count > limit else { return }
        start.deallocate()
        (start, count) = (.allocate(byteCount: 1_024, alignment: 16), 1_024)
    }
}
