#if LIBFUZZER
    import Foundation
    import PeerSupport
    import Testing

    /// LibFuzzer's own loop, in the process of the tests, one target after another: `make fuzz`.
    ///
    /// `RELATION_FUZZ_TARGET` names the target; `RELATION_FUZZ_ARGUMENTS` are libFuzzer's, one a
    /// line. The loop ends the process when its time is over, or when something does not hold.
    struct LibFuzzer {
        private static let environment = ProcessInfo.processInfo.environment

        static let target = FuzzTarget.all.first {
            $0.name == environment["RELATION_FUZZ_TARGET"]
        }

        @Test(.enabled(if: target != nil))
        func tries() throws {
            let lines = Self.environment["RELATION_FUZZ_ARGUMENTS"] ?? ""
            let words = ["fuzz"] + lines.split(separator: "\n").map(String.init)
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            var count = Int32(words.count)
            try arguments.withUnsafeMutableBufferPointer { buffer in
                var start = try #require(buffer.baseAddress)
                _ = runDriver(&count, &start) { bytes, count in
                    LibFuzzer.tryOne(UnsafeBufferPointer(start: bytes, count: count))
                    return 0
                }
            }
        }

        private static func tryOne(_ input: UnsafeBufferPointer<UInt8>) {
            guard let target else { return }
            do {
                try target.check(Array(input))
            } catch {
                // The input is kept by libFuzzer, which sees the process end.
                fatalError("\(target.name): \(error)")
            }
        }

        /// LibFuzzer's way to change bytes, which knows what comparisons the code has made.
        fileprivate static func change(_ bytes: [UInt8], limit: Int) -> [UInt8] {
            var room = bytes + [UInt8](repeating: 0, count: max(0, limit - bytes.count))
            let count = room.withUnsafeMutableBufferPointer {
                mutateBytes($0.baseAddress, bytes.count, $0.count)
            }
            return Array(room.prefix(count))
        }
    }

    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<Int32>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
    ) -> Int32

    @_silgen_name("LLVMFuzzerMutate")
    private func mutateBytes(
        _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int
    ) -> Int

    /// What libFuzzer calls for every new input.
    @_cdecl("LLVMFuzzerCustomMutator")
    func customMutator(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
    ) -> Int {
        guard let target = LibFuzzer.target else { return count }
        var random = SeededNumbers(seed: UInt64(seed))
        let mutation = Mutation(form: target.form, maxBytes: min(limit, target.maxBytes))
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        let changed = mutation.apply(to: input, &random, LibFuzzer.change)
        for (place, byte) in changed.enumerated() { bytes[place] = byte }
        return changed.count
    }
#endif
