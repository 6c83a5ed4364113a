import GRPC
import Logging
import PeerSupport
import RelationAPI
import RelationClient
import RelationCore
import RelationModel
import RelationService
import Testing

@testable import RelationAdmission
@testable import RelationRuntime

/// An import into a slow store.
@Suite(.endsWhenHung)
struct ImportTests {
    @Test func noMoreRowsAreTakenThanMayWaitForTheStore() async throws {
        let store = HeldStore()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try RelationServer(
            store: store, door: .open(to: Apps([App(id: 1, settings: .tim)])),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors,
            logger: logger)
        let port = try await server.start().port
        let client = try Client(ClientOptions(host: "127.0.0.1", port: port))
        let count = 2 * RuntimeLimits.waitingImportRows
        store.hold()
        let stream = client.stream(AccountMethods.importAccounts)
        let sender = Task {
            for number in 0..<count {
                var request = ImportAccountsRequest()
                var row = AccountRow()
                row.userID = "user\(number)"
                request.row = row
                try await stream.send(request)
            }
            stream.finishSending()
        }
        // The store is busy with the first row when the others come.
        let most = Int64(RuntimeLimits.waitingImportRows + 1)
        var reports: [ImportProgress] = []
        while reports.filter({ $0.received >= most }).count < 2 {
            let answer = try #require(try await stream.next())
            if case .progress(let progress) = answer.answer { reports.append(progress) }
        }
        #expect(reports.map(\.received).max() == most)
        #expect(reports.allSatisfy { $0.lastDurableRow == 0 })
        store.letGo()
        while let answer = try await stream.next() {
            if case .progress(let progress) = answer.answer { reports.append(progress) }
        }
        try await sender.value
        #expect(reports.last?.received == Int64(count))
        #expect(reports.last?.lastDurableRow == Int64(count))
        await client.close()
        await server.stop()
    }
}
