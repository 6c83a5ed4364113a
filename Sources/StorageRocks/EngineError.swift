internal import CRocksDB
internal import Storage

/// The engine's failures, which it reports as text, as the codes of the project.
///
/// None of them is `diskLow`. That code promises that the write is not there, and a write that
/// failed in the engine may be there all the same.
///
/// The C interface gives no other form than text. The words before the first colon are the engine's
/// status codes, on which its own tools rely; an unknown text becomes `failed`.
enum EngineError {
    /// Takes over the text that a call left, if it left one.
    ///
    /// - Parameter text: A text that the engine allocated; it is freed here.
    static func take(_ text: inout UnsafeMutablePointer<CChar>?) -> StorageError? {
        guard let found = text else { return nil }
        defer {
            rocksdb_free(found)
            text = nil
        }
        return error(String(cString: found))
    }

    static func error(_ text: String) -> StorageError {
        StorageError(code(text), text)
    }

    private static func code(_ text: String) -> StorageError.Code {
        if text.hasPrefix("Corruption") { return .corrupted }
        if text.hasPrefix("Result incomplete") { return .notInMemory }
        if text.hasPrefix("IO error") {
            if text.contains("/LOCK:") { return .locked }
            // A file that the engine's own list names is gone.
            if text.contains("No such file") { return .corrupted }
        }
        // The engine's words for a missing database that it may not make.
        if text.hasPrefix("Invalid argument"), text.contains("does not exist") { return .corrupted }
        return .failed
    }
}

extension String {
    /// Whether `part` occurs, as in Foundation, but without Foundation.
    fileprivate func contains(_ part: StaticString) -> Bool {
        part.withUTF8Buffer { part in
            let bytes = Array(utf8)
            guard bytes.count >= part.count else { return false }
            return (0...bytes.count - part.count).contains { start in
                bytes[start..<start + part.count].elementsEqual(part)
            }
        }
    }
}
