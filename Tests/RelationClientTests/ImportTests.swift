import GRPC
import Logging
import PeerSupport
import RelationAPI
import RelationClient
import RelationCore
import RelationModel
import RelationService
import Storage
import Testing

@testable import RelationAdmission
@testable import RelationRuntime

/// An import into a slow store.
@Suite(.endsWhenHung)
struct ImportTests {
    @Test func noMoreRowsAreTakenThanMayWaitForTheStore() async throws {
        let store = HeldStore()
        let server = try Self.server(store)
        let port = try await server.start().port
        let client = try Client(ClientOptions.patient(port: port))
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
        store.release()
        while let answer = try await stream.next() {
            if case .progress(let progress) = answer.answer { reports.append(progress) }
        }
        try await sender.value
        #expect(reports.last?.received == Int64(count))
        #expect(reports.last?.lastDurableRow == Int64(count))
        await client.close()
        await server.stop()
    }

    @Test func requestsThatAreSentTogetherComeOneByOneInTheirOrder() async throws {
        let server = try Self.server(MemoryStore())
        let client = try Client(
            ClientOptions.patient(port: try await server.start().port))
        let stream = client.stream(AccountMethods.importAccounts)
        // The first hundred wait for the connection.
        for first in [0, 100, 200] {
            try await stream.send(contentsOf: (first..<first + 100).map(Self.request))
        }
        try await stream.send(contentsOf: [])
        // A row that is refused says which number it came as.
        try await stream.send(
            ImportAccountsRequest.with { $0.row = .with { $0.userID = " " } })
        stream.finishSending()
        await #expect(throws: CallError.self) { try await stream.send(contentsOf: []) }
        var (refused, last): ([Int64], ImportProgress?) = ([], nil)
        while let answer = try await stream.next() {
            switch answer.answer {
            case .row(let row): refused.append(row.rowNumber)
            case .progress(let progress): last = progress
            case nil: break
            }
        }
        #expect(refused == [301])
        #expect(last?.accepted == 300)
        await client.close()
        await server.stop()
    }

    @Test func ofRequestsThatAreSentTogetherALongOneEndsTheCall() async throws {
        let server = try Self.server(MemoryStore())
        let client = try Client(
            ClientOptions.patient(port: try await server.start().port))
        let stream = client.stream(AccountMethods.importAccounts)
        var long = Self.request(2)
        long.row?.nick = String(repeating: "x", count: 5 << 20)
        let error = await #expect(throws: CallError.self) {
            try await stream.send(contentsOf: [Self.request(1), long, Self.request(3)])
        }
        #expect(error?.code == .resourceExhausted)
        await client.close()
        await server.stop()
    }

    private static func request(_ number: Int) -> ImportAccountsRequest {
        ImportAccountsRequest.with { $0.row = .with { $0.userID = "user\(number)" } }
    }

    private static func server(_ store: any Store) throws -> RelationServer {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try RelationServer(
            store: store, authenticator: .open(to: Apps([App(id: 1, settings: .tim)])),
            configuration: ServerConfiguration(), descriptors: Contract.descriptors,
            logger: logger)
    }
}
