import Synchronization

/// A point in the order of commits, taken before a read begins.
///
/// The read's view has all commits up to it, and may have later ones.
package struct ReadVersion: Sendable {
    let commit: UInt64

    /// A read version that no reader has: it shows whether something is kept at all.
    static let latest = ReadVersion(commit: .max)
}

/// The order of the commits of this process, and the one check of what is kept in memory.
///
/// Three rules make an answer from memory exactly what the reader's own view holds:
///
/// - The committer announces a commit twice: before the commit can be seen, when all that it
///   touches is forgotten, or changed under the commit's number; and when it has ended.
/// - A reader takes its ``ReadVersion`` before its view. A value serves it if the value's number is
///   not above that read version: whatever touched the value since would have removed it, or put a
///   later number on it.
/// - A value that a reader finds in the engine is kept under its read version, unless a commit
///   after that version touched it. So a reader that began before a change never puts back the
///   value from before it.
package final class CommitClock: Sendable {
    /// Whether every commit of the store is announced here.
    ///
    /// Where several processes write to one store, another one may have touched a value. Then
    /// nothing that is kept can be proved, and every answer comes from rows.
    let isOnlyWriter: Bool
    /// The latest commit that has ended.
    private let ended = Atomic<UInt64>(0)
    /// The commit that is under way, if it is later than `ended`.
    private let begun = Atomic<UInt64>(0)

    package init(isOnlyWriter: Bool = true) {
        self.isOnlyWriter = isOnlyWriter
    }

    /// Begins a commit, before it can be seen; each cache that it touches begins it.
    ///
    /// - Returns: The number of the commit.
    func begin() -> UInt64 {
        let number = ended.load(ordering: .relaxed) + 1
        begun.store(number, ordering: .sequentiallyConsistent)
        return number
    }

    /// Ends the commit that is under way, whether it succeeded or not; to end it again does
    /// nothing.
    func end() {
        ended.store(begun.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
    }

    /// The read version for a view that is taken after this call.
    @inline(__always)
    package func readVersion() -> ReadVersion {
        ReadVersion(commit: ended.load(ordering: .sequentiallyConsistent))
    }

    /// Whether a value that is exact from the commit `since` on is what a reader's view holds.
    ///
    /// The reader took its read version before its view, and looked the value up after it. A commit
    /// that touched the value since then would have put a later number on it.
    @inline(__always)
    func isExact(_ since: UInt64, at readVersion: ReadVersion) -> Bool {
        check(at: readVersion).isExact(since)
    }

    /// The check for one reader, as a value: a lookup of many users counts no references.
    @inline(__always)
    func check(at readVersion: ReadVersion) -> Check {
        Check(isOnlyWriter: isOnlyWriter, readVersion: readVersion)
    }

    struct Check {
        fileprivate let isOnlyWriter: Bool
        fileprivate let readVersion: ReadVersion

        @inline(__always)
        func isExact(_ since: UInt64) -> Bool { isOnlyWriter && since <= readVersion.commit }
    }
}
