public import Protobuf
import RelationModel

/// Backups: copies of the whole store, for operators.
public enum BackupMethods {
    private static let service: StaticString = "relation.v1.BackupService"

    /// Makes a backup, and says how far it has come.
    public static let createBackup = Method<CreateBackupRequest, CreateBackupResponse>(
        service, "CreateBackup", .scan, for: .operators, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .backupUnderWay, .backupsUnavailable))

    /// Lists the backups that are whole by pages, in the order of their names.
    public static let listBackups = Method<ListBackupsRequest, ListBackupsResponse>(
        service, "ListBackups", .read, for: .operators,
        answers: codes(ErrorReason.self, .invalidPageToken, .backupsUnavailable))

    /// Sends the bytes of one file of a backup, from any offset in it.
    public static let readBackup = Method<ReadBackupRequest, ReadBackupResponse>(
        service, "ReadBackup", .scan, for: .operators, shape: .serverStreaming,
        answers: codes(ErrorReason.self, .backupNotFound, .backupsUnavailable),
        limits: [
            RequestLimit("name", Int64(Limits.backupNameBytes), .bytes),
            RequestLimit("path", Int64(Limits.backupPathBytes), .bytes),
        ])
}
