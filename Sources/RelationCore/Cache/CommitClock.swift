import Synchronization

/// The versions of commits, and the one check of what is kept in memory.
///
/// Three rules make an answer from memory exactly what the reader's own view holds:
///
/// - A commit has two steps here: before it can be seen, all that it touches is invalidated, or
///   replaced under the commit's version; and then it ends.
/// - A reader takes its ``ReadVersion`` before its view. An entry is valid for it if the entry's
///   version is not above that read version: whatever touched the value since would have removed
///   the entry, or put a later version on it.
/// - A value that a reader finds in the engine is inserted under its read version, unless a commit
///   after that version touched it. So a reader that began before a change never puts back the
///   value from before it.
package final class CommitClock: Sendable {
    /// Whether every commit of the store is counted here.
    ///
    /// Where several processes write to one store, another one may have touched a value. Then no
    /// entry is valid, and every answer comes from rows.
    let isOnlyWriter: Bool
    /// The latest commit that has ended.
    private let ended = Atomic<UInt64>(0)
    /// The commit that is under way, if it is later than `ended`.
    private let begun = Atomic<UInt64>(0)

    package init(isOnlyWriter: Bool = true) {
        self.isOnlyWriter = isOnlyWriter
    }

    /// Begins a commit, before it can be seen; one that begins again keeps its version.
    ///
    /// - Returns: The version of the commit.
    func begin() -> UInt64 {
        let version = ended.load(ordering: .relaxed) + 1
        begun.store(version, ordering: .sequentiallyConsistent)
        return version
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

    /// The check for one reader, as a value: a lookup of many users counts no references.
    @inline(__always)
    func check(at readVersion: ReadVersion) -> Check {
        Check(isOnlyWriter: isOnlyWriter, readVersion: readVersion)
    }

    /// Tells one reader which entries are valid for it.
    struct Check {
        fileprivate let isOnlyWriter: Bool
        fileprivate let readVersion: ReadVersion

        /// Whether an entry of that version is what the reader's view holds.
        ///
        /// The reader took its read version before its view, and looked the entry up after it. A
        /// commit that touched the value since then would have put a later version on it.
        @inline(__always)
        func isValid(_ version: UInt64) -> Bool {
            isOnlyWriter && version <= readVersion.commit
        }
    }
}
