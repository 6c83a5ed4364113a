extension FixedWidthInteger {
    /// Counts `number` fewer, and never fewer than none.
    ///
    /// A count that is stored may be wrong. A check of the integrity finds that and repairs it, so
    /// it is no reason to end the process.
    mutating func decrease(by number: Int = 1) {
        let count = Swift.max(0, Int(clamping: self))
        self = Self(clamping: Swift.max(0, count - number))
    }
}
