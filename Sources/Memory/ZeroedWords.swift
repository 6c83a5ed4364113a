internal import Glibc
package import Synchronization

/// Atomic words that begin as 0, in memory that none of them has touched yet.
///
/// The system gives a large number of them page by page, each at the first use of a word of it.
package enum ZeroedWords {
    /// Words that are 0, for ``free(_:)`` to free.
    ///
    /// - Precondition: The system has memory for them.
    package static func allocate(_ count: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        guard let memory = calloc(count, MemoryLayout<Atomic<UInt32>>.stride) else {
            preconditionFailure("no memory for \(count) words")
        }
        // An atomic word is its bytes and nothing else: zeros are a word of 0, and nothing of it
        // has to be deinitialized.
        return memory.bindMemory(to: Atomic<UInt32>.self, capacity: count)
    }

    package static func free(_ words: UnsafeMutablePointer<Atomic<UInt32>>) {
        Glibc.free(words)
    }
}
