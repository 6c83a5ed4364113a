internal import Foundation
package import Storage

/// An engine that keeps its data in a folder, which is deleted with the last reference.
package final class FolderEngine: Engine {
    package let name: String
    package let folder = TemporaryFolder()
    private let opening: (_ path: String) throws(StorageError) -> any Store

    package init(
        _ name: String, _ opening: @escaping (_ path: String) throws(StorageError) -> any Store
    ) {
        self.name = name
        self.opening = opening
    }

    package func open() throws(StorageError) -> any Store {
        try opening(folder.path + "/data")
    }
}

/// A new, empty folder that belongs to one test.
package final class TemporaryFolder {
    package let path: String

    package init() {
        let name = "relation-chain-\(UUID().uuidString)"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
        } catch {
            preconditionFailure("no temporary folder: \(error)")
        }
    }

    deinit {
        // A folder that cannot be removed is in the system's folder for temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }
}
