import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import GRPC
@testable import RelationService

@Suite struct ExportTests {
    private static let hour: Int64 = 3_600_000

    /// The first point of a stream.
    private func token(of source: ExportSource) throws -> String {
        let messages = try Arena.temporary { arena throws(RPCError) in
            try source.next(arena).messages
        }
        guard case .point(let point) = messages.last?.row else { return "" }
        return point.token
    }

    @Test func aMomentIsKeptWhileAStreamReadsIt() throws {
        let exports = Exports(desk: Desk(try World("A", "B")))
        let source = try exports.stream()
        let token = try token(of: source)
        exports.desk.world.advance(milliseconds: 2 * Self.hour)
        exports.points.forget(at: exports.desk.world.now)
        #expect(exports.points.count == 1)
        let other = try exports.stream(token)
        #expect(try self.token(of: other) == token)
        other.close()
        source.close()
    }

    @Test func aTokenIsGoodForAnHourAfterTheStreamsEnd() throws {
        let exports = Exports(desk: Desk(try World("A", "B")))
        let world = exports.desk.world
        let first = try exports.stream()
        let token = try token(of: first)
        first.close()
        world.advance(milliseconds: Self.hour)
        let second = try exports.stream(token)
        #expect(try self.token(of: second) == token)
        second.close()
        // Reading it began the hour anew.
        world.advance(milliseconds: Self.hour)
        exports.points.forget(at: world.now)
        #expect(exports.points.count == 1)
        world.advance(milliseconds: 1)
        let error = #expect(throws: RPCError.self) { _ = try exports.stream(token) }
        #expect(error?.code == .failedPrecondition)
        #expect(try error?.unpacked().reason == "POINT_GONE")
        #expect(exports.points.count == 0)
    }

    @Test func anUpkeepLetsGoOfMomentsThatNobodyAsksForAgain() throws {
        let exports = Exports(desk: Desk(try World("A")))
        try exports.stream().close()
        exports.points.forget(at: exports.desk.world.now)
        #expect(exports.points.count == 1)
        exports.points.forget(at: exports.desk.world.now.advanced(byMilliseconds: Self.hour + 1))
        #expect(exports.points.count == 0)
    }
}
