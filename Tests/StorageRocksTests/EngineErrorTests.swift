import Storage
import Testing

@testable import StorageRocks

/// The engine's texts are its interface.
///
/// These texts were seen. A release that changes one breaks this test, and not the operator's
/// server.
@Suite struct EngineErrorTests {
    @Test(
        arguments: [
            ("Corruption: block checksum mismatch: stored = 1, computed = 2 in 9.sst", .corrupted),
            ("IO error: While lock file: /d/rows/LOCK: Resource temporarily unavailable", .locked),
            (
                "IO error: lock hold by current process, acquire time 1 acquiring thread 2: "
                    + "/d/rows/LOCK: No locks available", .locked
            ),
            // It is not known whether the record is in the file, so no caller learns that it is
            // not.
            ("IO error: No space left on device: While appending to file: /d/rows/4.log", .failed),
            ("IO error: While appending to file: /d/rows/4.log: Disk quota exceeded", .failed),
            ("IO error: No such file or directory: While open a file: /d/rows/9.sst", .corrupted),
            ("IO error: While appending to file: /d/rows/4.log: Input/output error", .failed),
            (
                "Invalid argument: /d/rows/CURRENT: does not exist (create_if_missing is false)",
                .corrupted
            ),
            ("Invalid argument: something new", .failed),
            ("", .failed),
        ] as [(String, StorageError.Code)])
    func aTextOfTheEngineBecomesACode(_ text: String, _ code: StorageError.Code) {
        let error = EngineError.error(text)
        #expect(error.code == code)
        #expect(error.message == text)
    }
}
