#if LIBFUZZER
    import Glibc
    import PeerSupport

    /// The functions that libFuzzer's own `main` calls, which `make fuzz` puts in place of the
    /// tests' `main`.
    ///
    /// `RELATION_FUZZ_TARGET` names the target. Foundation is not imported: it brings an ICU of its
    /// own, and a debug build does not take two.
    private enum LibFuzzer {
        static let target = getenv("RELATION_FUZZ_TARGET").flatMap { name in
            FuzzTarget.all.first { $0.name == String(cString: name) }
        }

        /// LibFuzzer's way to change bytes, which knows the comparisons that the code has made.
        static func change(_ bytes: [UInt8], limit: Int) -> [UInt8] {
            var room = bytes + [UInt8](repeating: 0, count: max(0, limit - bytes.count))
            let count = room.withUnsafeMutableBufferPointer {
                mutateBytes($0.baseAddress, bytes.count, $0.count)
            }
            return Array(room.prefix(count))
        }
    }

    @_silgen_name("LLVMFuzzerMutate")
    private func mutateBytes(
        _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ limit: Int
    ) -> Int

    /// Tries one input.
    @_cdecl("LLVMFuzzerTestOneInput")
    func tryInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        guard let target = LibFuzzer.target else {
            preconditionFailure("RELATION_FUZZ_TARGET names no target")
        }
        do {
            try target.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
        } catch {
            // The input is kept by libFuzzer, which sees the process end.
            fatalError("\(target.name): \(error)")
        }
        return 0
    }

    /// Makes a new input from another.
    @_cdecl("LLVMFuzzerCustomMutator")
    func changeInput(
        _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32
    ) -> Int {
        guard let target = LibFuzzer.target else { return count }
        var random = SeededNumbers(seed: UInt64(seed))
        let mutation = Mutation(form: target.form, maxBytes: min(limit, target.maxBytes))
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        let changed = mutation.apply(to: input, &random, LibFuzzer.change)
        for (index, byte) in changed.enumerated() { bytes[index] = byte }
        return changed.count
    }
#endif
