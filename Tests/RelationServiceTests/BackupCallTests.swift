import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationModel
import RelationSuite
import Storage
import Testing

@testable import RelationCalls
@testable import RelationService

@Suite struct BackupCallTests {
    @Test func aStoreWithoutFilesHasNoBackups() throws {
        var violations = Violations()
        let request = ReadBackupRequest.with {
            $0.name = "20261125T235959Z"
            $0.path = "BACKUP"
        }
        let error = #expect(throws: RPCError.self) {
            try BackupHandlers.read(request, &violations, nil, .system)
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("no folder for backups") == true)
        let call = ServiceHarness(try World("A")).call(nil, &violations)
        let reading = BackupHandlers.list(ListBackupsRequest(), call, &violations, nil)
        let answer = try MemoryStore().read { (transaction) throws(StorageError) in
            try reading(transaction)
        }
        #expect(answer == nil)
    }
}
