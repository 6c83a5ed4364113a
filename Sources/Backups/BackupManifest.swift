import Memory
package import Protobuf

/// The list of a backup's files, with their sums, and of what is in them.
///
/// It is the file ``BackupManifest/file`` of the backup, in JSON. A backup without it is not whole.
package struct BackupManifest: CodedMessage, Equatable {
    /// The name of the file that holds it.
    package static let file = "BACKUP"

    /// The name of the backup: the time at which it was made.
    package var name = ""
    package var timeMs: Int64 = 0
    /// The first line of the folder's file `FORMAT`.
    package var format = ""
    /// The version of the program that made the backup.
    package var version = ""
    package var files: [BackupFile] = []
    package var apps: [BackupCounts] = []
    /// The SHA-256 of the text of this manifest without its sum; empty but in the text.
    private var sum = ""

    package init() {}

    package static let schema = Schema("relation.store.Backup", BackupManifest.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "time_ms", &timeMs)
        visitor.field(3, "format", &format)
        visitor.field(4, "version", &version)
        visitor.field(5, "files", &files)
        visitor.field(6, "apps", &apps)
        visitor.field(7, "sum", &sum)
    }

    /// The bytes of all files.
    package var bytes: Int64 { files.reduce(0) { $0 + $1.bytes } }

    /// The text of the manifest's file, with its own sum.
    package func text() throws(BackupError) -> String {
        var whole = self
        whole.sum = try ownSum()
        return try whole.plainText() + "\n"
    }

    private func ownSum() throws(BackupError) -> String {
        var bare = self
        bare.sum = ""
        return FileSum.text(of: Array(try bare.plainText().utf8))
    }

    private func plainText() throws(BackupError) -> String {
        do throws(CodecError) {
            return try Arena.temporary { (arena) throws(CodecError) in try json(arena) }
        } catch {
            throw BackupError(.damaged, "the list of files has no text: \(error)")
        }
    }

    /// Reads the text of a manifest's file, and checks what it says of names.
    ///
    /// - Throws: ``BackupError`` with the code `damaged`.
    package init(text: [UInt8]) throws(BackupError) {
        guard text.count <= BackupLimits.manifestBytes else {
            throw BackupError(.damaged, "\(Self.file) is too long")
        }
        do throws(CodecError) {
            self = try Arena.temporary { (arena) throws(CodecError) in
                try BackupManifest(json: String(decoding: text, as: UTF8.self), arena)
            }
        } catch {
            throw BackupError(.damaged, "\(Self.file) is not a list of a backup's files: \(error)")
        }
        guard sum == (try ownSum()) else {
            throw BackupError(.damaged, "\(Self.file) is damaged: it has another sum")
        }
        sum = ""
        guard BackupName.isName(name) else {
            throw BackupError(.damaged, "\(Self.file) gives the backup no name")
        }
        var paths: Set<String> = []
        for file in files {
            guard BackupFile.isPath(file.path), file.bytes >= 0, file.sha256.utf8.count == 64,
                paths.insert(file.path).inserted
            else {
                throw BackupError(.damaged, "\(Self.file) lists what is not a file of a backup")
            }
        }
        guard paths.contains(BackupFile.formatPath) else {
            throw BackupError(.damaged, "\(Self.file) does not list \(BackupFile.formatPath)")
        }
    }
}

/// The amounts that an app had when the backup was made; the app 0 is the registry.
package struct BackupCounts: CodedMessage, Equatable {
    package var app: UInt32 = 0
    package var accounts: Int64 = 0
    package var friends: Int64 = 0
    package var groups: Int64 = 0
    package var blacklisted: Int64 = 0
    package var applications: Int64 = 0
    package var subscriptions: Int64 = 0
    package var events: Int64 = 0

    package init() {}

    package static let schema = Schema("relation.store.BackupCounts", BackupCounts.self)

    package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "app", &app)
        visitor.field(2, "accounts", &accounts)
        visitor.field(3, "friends", &friends)
        visitor.field(4, "groups", &groups)
        visitor.field(5, "blacklisted", &blacklisted)
        visitor.field(6, "applications", &applications)
        visitor.field(7, "subscriptions", &subscriptions)
        visitor.field(8, "events", &events)
    }
}
