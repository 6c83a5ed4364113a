public import Protobuf

// The messages of proto/relation/v1/backup.proto, where every field is explained.

/// A backup that is whole.
public struct Backup: CodedMessage {
    /// The time at which it was made, such as `20261125T235959Z`.
    public var name = ""
    /// When it was made.
    public var createTimeMs: Int64 = 0
    /// The bytes of its files, without its list of files.
    public var sizeBytes: Int64 = 0
    /// How many files it has, without its list of files.
    public var fileCount: Int32 = 0
    /// The format of its rows, such as `relation-chain store, format 6`.
    public var format = ""
    /// The version of the server that made it.
    public var serverVersion = ""
    /// The SHA-256 of its file `BACKUP`, in hexadecimal digits.
    public var manifestSHA256 = ""

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.Backup", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "name", &name)
        visitor.field(2, "create_time_ms", &createTimeMs)
        visitor.field(3, "size_bytes", &sizeBytes)
        visitor.field(4, "file_count", &fileCount)
        visitor.field(5, "format", &format)
        visitor.field(6, "server_version", &serverVersion)
        visitor.field(7, "manifest_sha256", &manifestSHA256)
    }
}

/// The request of CreateBackup.
public struct CreateBackupRequest: AppReadRequest {
    /// How the call is carried out.
    public var options: ReadOptions?

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateBackupRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
    }
}

/// A message of CreateBackup.
public struct CreateBackupResponse: CodedMessage {
    /// How far the backup has come, or the backup; a client skips a message without a case that it
    /// knows.
    public var answer: Answer?

    public init() {}

    package init(_ answer: Answer) {
        self.answer = answer
    }

    /// How far the backup has come, or the backup; a client skips a message without a case that it
    /// knows.
    public enum Answer: OneOf {
        /// How far it has come: sent after every few megabytes.
        case progress(BackupProgress)
        /// The whole backup: the last message.
        case backup(Backup)

        @usableFromInline package static func visit(
            _ answer: inout Answer?, _ cases: inout some OneOfVisitor
        ) {
            cases.field(
                1, "progress", &answer,
                { if case .progress(let value) = $0 { value } else { nil } }, Answer.progress)
            cases.field(
                2, "backup", &answer,
                { if case .backup(let value) = $0 { value } else { nil } }, Answer.backup)
        }
    }

    @usableFromInline package static let schema = Schema(
        "relation.v1.CreateBackupResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.oneof("answer", &answer)
    }
}

/// How far a backup has come.
public struct BackupProgress: CodedMessage {
    /// The bytes whose sums are known.
    public var bytesDone: Int64 = 0
    /// The bytes of all files; 0 while they are not known.
    public var bytesTotal: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.BackupProgress", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "bytes_done", &bytesDone)
        visitor.field(2, "bytes_total", &bytesTotal)
    }
}

/// The request of ListBackups.
public struct ListBackupsRequest: AppReadRequest, SizedReadRequest, PagedRequest {
    public var options: ReadOptions?
    /// The most backups to answer: 0 means 100; more than 1000 means 1000.
    public var pageSize: Int32 = 0
    public var pageToken = ""

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListBackupsRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "page_size", &pageSize)
        visitor.field(4, "page_token", &pageToken)
    }

    package var readSize: ReadSize { .page(pageSize) }
}

/// The response of ListBackups.
public struct ListBackupsResponse: CodedMessage, PagedList {
    /// The backups, the oldest first.
    public var backups: [Backup] = []
    public var nextPageToken = ""
    /// How many backups there are.
    public var totalSize: Int32 = 0

    public init() {}

    public var pageItems: [Backup] { backups }

    @usableFromInline package static let schema = Schema(
        "relation.v1.ListBackupsResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "backups", &backups)
        visitor.field(2, "next_page_token", &nextPageToken)
        visitor.field(3, "total_size", &totalSize)
    }
}

/// The request of ReadBackup.
public struct ReadBackupRequest: AppReadRequest {
    public var options: ReadOptions?
    /// The name of the backup: 16 bytes.
    public var name = ""
    /// The path of the file in the backup: `BACKUP`, or a path that this file lists.
    public var path = ""
    /// The first byte to send; beyond the end of the file nothing is sent.
    public var offset: Int64 = 0

    public init() {}

    @usableFromInline package static let schema = Schema("relation.v1.ReadBackupRequest", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(2, "options", &options)
        visitor.field(3, "name", &name)
        visitor.field(4, "path", &path)
        visitor.field(5, "offset", &offset)
    }
}

/// A message of ReadBackup.
public struct ReadBackupResponse: CodedMessage {
    /// The next bytes of the file: at most 256 KiB.
    public var data: [UInt8] = []

    public init() {}

    @usableFromInline package static let schema = Schema(
        "relation.v1.ReadBackupResponse", Self.self)

    @usableFromInline package mutating func visit(_ visitor: inout some FieldVisitor) {
        visitor.field(1, "data", &data)
    }
}
