import Backups
import Glibc

/// A folder of a test with the files of a small backup, as they would come from a server.
struct Scratch {
    let folder: String
    private(set) var manifest = BackupManifest()
    private let contents: [String: [UInt8]]

    /// Runs `body` with a folder that is removed afterwards.
    static func run(_ body: (Scratch) throws -> Void) throws {
        var template = Array("/tmp/relation-backups-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw BackupError(.failed, "no folder") }
        let folder = template.withUnsafeBytes { bytes in
            String(decoding: bytes.dropLast(), as: UTF8.self)
        }
        defer { _ = system("rm -rf \(folder)") }
        try body(Scratch(folder))
    }

    private init(_ folder: String) throws {
        self.folder = folder
        func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
        }
        contents = [
            "FORMAT": Array("relation-chain store, format 5\n".utf8),
            "rows/000007.sst": bytes(1_500, 1),
            "rows/CURRENT": bytes(16, 2), "rows/EMPTY": [], "rows/MANIFEST-000004": bytes(512, 3),
        ]
        manifest.name = "20261125T235959Z"
        manifest.timeMs = 1_795_651_199_999
        manifest.format = "relation-chain store, format 5"
        for (path, content) in contents.sorted(by: { $0.key < $1.key }) {
            var file = BackupFile()
            (file.path, file.bytes) = (path, Int64(content.count))
            file.sha256 = FileSum.text(of: content)
            manifest.files.append(file)
        }
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func content(_ path: String) -> [UInt8] { contents[path] ?? [] }

    /// Writes the whole archive, and returns its path.
    func archive() throws -> String {
        let archive = path("backup.tar")
        unlink(archive)
        var writer = try ArchiveWriter(making: archive, Array(manifest.text().utf8))
        try fill(&writer)
        try writer.finish()
        return archive
    }

    /// Gives `writer` all that it still lacks.
    func fill(_ writer: inout ArchiveWriter) throws {
        while let next = writer.next {
            let rest = content(next.file.path).dropFirst(Int(next.offset)).prefix(700)
            try writer.add(Array(rest))
        }
    }

    func bytes(_ name: String) throws -> [UInt8] { try bytes(of: path(name)) }

    func bytes(of path: String) throws -> [UInt8] {
        try OwnFile.bytes(of: path, atMost: 1 << 20)
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        unlink(path)
        let file = try OwnFile.making(path)
        try file.write(bytes)
    }
}
