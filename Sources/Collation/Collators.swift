internal import Synchronization

/// How names are sorted and searched: Unicode's collation, with Han characters by their pinyin.
///
/// The library is opened at first use, because its data would cost memory in a process that sorts
/// nothing. One thread at a time uses a collator, so there are as many as threads that sorted at
/// once.
package final class Collators: Sendable {
    /// The only one: it has no settings.
    package static let shared = Collators()

    private let idle = Mutex<[Collator]>([])

    private init() {}

    /// The bytes of `text` without the differences that a search ignores.
    ///
    /// These are case, width, and the forms of characters that Unicode calls compatible. Text of
    /// ASCII alone needs no collator, and opens none.
    package func folded(_ text: String) -> [UInt8] {
        Collator.foldedASCII(text) ?? use { $0.folded(text) }
    }

    /// The bytes of `text` without the differences that a search of names ignores.
    ///
    /// Text of ASCII alone needs no collator, and opens none.
    package func unaccented(_ text: String) -> [UInt8] {
        Collator.foldedASCII(text) ?? use { $0.unaccented(text) }
    }

    /// Calls `body` with a collator, which it must not keep.
    package func use<Result>(_ body: (Collator) -> Result) -> Result {
        let collator = idle.withLock { $0.popLast() } ?? Collator()
        defer {
            idle.withLock { idle in
                if idle.count < Limits.idleCollators { idle.append(collator) }
            }
        }
        return body(collator)
    }
}
