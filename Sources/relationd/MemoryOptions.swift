import ArgumentParser
import RelationRuntime

/// The options for the memory in which the server keeps rows of its store.
///
/// All of it is one share of the memory that the process may have. A part is for what the rows say:
/// names, profiles and circles. The rest is for the engine's blocks.
struct MemoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Memory for all that is kept of the store, so that it is not read again.",
            discussion: """
                Without it, a quarter of the memory that the process may have, and 128 MiB or more.
                """, valueName: "MiB"))
    var cacheMemory: Int?

    @Option(
        help: ArgumentHelp(
            "The part of --cache-memory for names, profiles and friendships; 0 keeps none.",
            discussion: "Without it, half. The rest is for blocks of the engine's files.",
            valueName: "MiB"))
    var keptMemory: Int?

    /// The bytes for names, profiles and circles.
    var keptBytes: Int { keptMemory.map { $0 << 20 } ?? cacheBytes / 2 }

    /// The bytes for the engine's blocks.
    var blockBytes: Int { max(MemoryLimits.leastBlockBytes, cacheBytes - keptBytes) }

    private var cacheBytes: Int { cacheMemory.map { $0 << 20 } ?? ProcessMemory.cacheBytes }

    func validate() throws {
        for (name, value) in [("cache", cacheMemory), ("kept", keptMemory)] {
            guard 0...MemoryLimits.mostCacheMebibytes ~= value ?? 0 else {
                throw ValidationError(
                    "--\(name)-memory is from 0 to \(MemoryLimits.mostCacheMebibytes)")
            }
        }
        guard keptBytes <= cacheBytes else {
            throw ValidationError(
                "--kept-memory is a part of --cache-memory, which is \(cacheBytes >> 20) MiB")
        }
    }
}
