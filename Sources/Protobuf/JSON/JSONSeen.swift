/// A set of small numbers.
struct JSONSeen {
    private var first: UInt64 = 0
    /// The numbers from 64 on; few messages have so many fields.
    private var more: [UInt64] = []

    /// Returns false if the number was there.
    @inline(__always) mutating func insert(_ number: Int) -> Bool {
        guard number < 64 else { return insertMore(number &- 64) }
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: number)
        defer { first |= bit }
        return first & bit == 0
    }

    private mutating func insertMore(_ number: Int) -> Bool {
        while more.count <= number / 64 { more.append(0) }
        let bit: UInt64 = 1 << UInt64(number % 64)
        defer { more[number / 64] |= bit }
        return more[number / 64] & bit == 0
    }
}
