import Memory
import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationRuntime
import RelationSuite
import Testing

@testable import GRPC
@testable import RelationCalls
@testable import RelationService

@Suite struct ExportTests {
    private static let hour: Int64 = 3_600_000

    /// The first point of a stream.
    private func token(of source: ExportSource) throws -> String {
        let messages = try Arena.temporary { arena throws(RPCError) in
            try source.next(arena).messages
        }
        guard case .point(let point) = messages.last?.row else { return "" }
        return point.resumeToken
    }

    @Test func aMomentIsKeptWhileAStreamReadsIt() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let source = try exports.stream()
        let token = try token(of: source)
        exports.harness.world.advance(milliseconds: 2 * Self.hour)
        exports.points.forget(at: exports.harness.world.now)
        #expect(exports.points.count == 1)
        let other = try exports.stream(token)
        #expect(try self.token(of: other) == token)
        other.close()
        source.close()
    }

    @Test func aTokenIsGoodForAnHourAfterTheStreamsEnd() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let world = exports.harness.world
        let first = try exports.stream()
        let token = try token(of: first)
        first.close()
        world.advance(milliseconds: Self.hour)
        let second = try exports.stream(token)
        #expect(try self.token(of: second) == token)
        second.close()
        // The read of it began a new hour.
        world.advance(milliseconds: Self.hour)
        exports.points.forget(at: world.now)
        #expect(exports.points.count == 1)
        world.advance(milliseconds: 1)
        let error = #expect(throws: RPCError.self) { _ = try exports.stream(token) }
        #expect(error?.code == .failedPrecondition)
        #expect(try error?.unpacked().reason == "POINT_GONE")
        #expect(exports.points.count == 0)
    }

    @Test func aMomentIsKeptForADayAtMostHoweverSlowlyItIsRead() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let world = exports.harness.world
        let slow = try exports.stream()
        let token = try token(of: slow)
        world.advance(milliseconds: 24 * Self.hour)
        exports.points.forget(at: world.now)
        #expect(exports.points.count == 1)
        exports.tick()
        world.advance(milliseconds: 1)
        exports.points.forget(at: world.now)
        #expect(exports.points.count == 0)
        for read in [{ try self.token(of: slow) }, { try self.token(of: exports.stream(token)) }] {
            let error = #expect(throws: RPCError.self) { _ = try read() }
            #expect(try error?.unpacked().reason == "POINT_GONE")
        }
        slow.close()
        try exports.stream().close()
    }

    @Test func aCheckThatTakesLongerThanItsMomentIsKeptSaysSo() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let check = try exports.check()
        _ = try Arena.temporary { arena throws(RPCError) in try check.next(arena).isLast }
        exports.harness.world.advance(milliseconds: 24 * Self.hour + 1)
        exports.points.forget(at: exports.harness.world.now)
        let error = #expect(throws: RPCError.self) {
            _ = try Arena.temporary { arena throws(RPCError) in try check.next(arena).isLast }
        }
        #expect(error?.code == .resourceExhausted)
        #expect(try error?.unpacked().reason == "OVERLOADED")
        check.close()
    }

    // MARK: The number of moments

    private func reason(_ body: () throws -> ExportSource) throws -> String {
        let error = #expect(throws: RPCError.self) { _ = try body() }
        return try error?.unpacked().reason ?? ""
    }

    @Test func aNewExportTakesThePlaceOfItsAppsOldestThatIsNotRead() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let other = App(id: exports.harness.world.app.id + 1, settings: .tim)
        try exports.stream(of: other).close()
        let tokens = try (0..<4).map { _ in
            let source = try exports.stream()
            defer { source.close() }
            return try token(of: source)
        }
        // The moments of other apps stay.
        #expect(exports.points.count == Limits.openExportsPerApp + 1)
        for token in tokens.prefix(2) {
            #expect(try reason { try exports.stream(token) } == "POINT_GONE")
        }
        // A moment that is being read stays, though it is older.
        let first = try exports.stream(tokens[2])
        let second = try exports.stream()
        #expect(try reason { try exports.stream(tokens[3]) } == "POINT_GONE")
        #expect(try reason { try exports.stream() } == "TOO_MANY_EXPORTS")
        #expect(exports.points.count == Limits.openExportsPerApp + 1)
        first.close()
        second.close()
    }

    @Test func appsShareNoNumberOfExports() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let sources = try (0..<200).flatMap { number in
            try (0..<Limits.openExportsPerApp).map { _ in
                try exports.stream(of: App(id: UInt32(100 + number), settings: .tim))
            }
        }
        #expect(exports.points.count == 200 * Limits.openExportsPerApp)
        try exports.stream().close()
        for source in sources { source.close() }
    }

    /// A database has a connection for each snapshot, and streams begin on such ones too.
    @Test func appsShareTheSnapshotsOfAStoreThatHasABound() throws {
        let snapshots = 8
        let most = snapshots / RuntimeLimits.partOfSnapshots
        let exports = Exports(
            harness: ServiceHarness(try World("A", "B")), mostSnapshots: snapshots)
        let apps = (0..<20).map { App(id: UInt32(100 + $0), settings: .tim) }
        let tokens = try apps.map { app in
            let source = try exports.stream(of: app)
            defer { source.close() }
            return try token(of: source)
        }
        // Snapshots that no stream reads make room, the oldest first.
        #expect(exports.points.count == most)
        #expect(try reason { try exports.stream(tokens[0], of: apps[0]) } == "POINT_GONE")
        let held = try (20 - most..<20).map { try exports.stream(tokens[$0], of: apps[$0]) }
        #expect(try reason { try exports.stream() } == "OVERLOADED")
        // The reserve for operators passes this bound too.
        let reserved = try exports.stream(isOperator: true)
        #expect(exports.points.count == most + Limits.openExportsInReserve)
        #expect(try reason { try exports.stream(isOperator: true) } == "OVERLOADED")
        reserved.close()
        held[0].close()
        try exports.stream().close()
        for source in held.dropFirst() { source.close() }
    }

    @Test func operatorsHaveOneMomentMoreWhereTheirAppHasNone() throws {
        let exports = Exports(harness: ServiceHarness(try World("A", "B")))
        let held = try (0..<Limits.openExportsPerApp).map { _ in try exports.stream() }
        #expect(try reason { try exports.stream() } == "TOO_MANY_EXPORTS")
        let reserved = try exports.stream(isOperator: true)
        #expect(try reason { try exports.stream(isOperator: true) } == "TOO_MANY_EXPORTS")
        // It takes no place from the app: after an export of the app has ended there is room.
        held[0].close()
        let again = try exports.stream()
        #expect(try reason { try exports.stream() } == "TOO_MANY_EXPORTS")
        // The next operator gets the place after the last read of it has ended.
        reserved.close()
        try exports.stream(isOperator: true).close()
        for source in [again] + held.dropFirst() { source.close() }
    }

    @Test func maintenanceReleasesViewsThatAreNotAskedForAgain() throws {
        let exports = Exports(harness: ServiceHarness(try World("A")))
        try exports.stream().close()
        exports.points.forget(at: exports.harness.world.now)
        #expect(exports.points.count == 1)
        exports.points.forget(at: exports.harness.world.now.advanced(byMilliseconds: Self.hour + 1))
        #expect(exports.points.count == 0)
    }
}
