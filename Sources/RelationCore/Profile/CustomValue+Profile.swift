package import RelationModel

extension [CustomValue] {
    /// The value under `key`, which is compared byte by byte.
    package func value(of key: String) -> CustomValue.Value? {
        first { $0.key.isExactly(key) }?.value
    }

    /// Puts `value` under `key`, or removes the value under it if `value` is nil.
    ///
    /// Values stay in order of their keys, so that equal values are equal bytes.
    package mutating func set(_ value: CustomValue.Value?, of key: String) {
        var change = CustomValue()
        change.key = key
        change.value = value
        self = changed(by: [change])
    }
}
