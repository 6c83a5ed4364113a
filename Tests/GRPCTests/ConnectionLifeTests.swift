import NIOCore
import Testing

@testable import GRPC

/// The end of a connection, as ``ConnectionLife`` judges it.
struct ConnectionLifeTests {
    private func at(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .milliseconds(milliseconds)
    }

    @Test func aConnectionReachesItsAgeOnceAndThenItsGrace() {
        var life = ConnectionLife(now: at(0), ageSeconds: nil)
        #expect(life.due(at: .distantFuture, graceSeconds: 1) == .nothing)
        life.end(by: at(5_000))
        // Only an earlier end counts.
        life.end(by: at(9_000))
        #expect(life.due(at: at(4_999), graceSeconds: 1) == .nothing)
        #expect(life.due(at: at(5_000), graceSeconds: 1) == .warning)
        life.announce(at: at(5_000))
        #expect(life.due(at: at(5_999), graceSeconds: 1) == .nothing)
        #expect(life.due(at: at(6_000), graceSeconds: 1) == .end)
        life.drain()
        #expect(life.due(at: at(6_000), graceSeconds: 1) == .end)
        life.close()
        #expect(life.due(at: at(6_000), graceSeconds: 1) == .nothing)
    }

    @Test func aConnectionEndsAtMostAPartOfItsAgeSooner() {
        let spread = 100_000 / Int64(CallLimits.connectionAgeSpread)
        for _ in 0..<100 {
            let life = ConnectionLife(now: at(0), ageSeconds: 100)
            #expect(life.due(at: at(100_000 - spread - 1), graceSeconds: 1) == .nothing)
            #expect(life.due(at: at(100_000), graceSeconds: 1) == .warning)
        }
    }

    @Test func onlyAnOpenConnectionIsIdle() {
        var life = ConnectionLife(now: at(0), ageSeconds: nil)
        #expect(!life.isIdle(at: at(1_999), forSeconds: 2))
        #expect(life.isIdle(at: at(2_000), forSeconds: 2))
        life.called(at: at(1_000))
        #expect(!life.isIdle(at: at(2_000), forSeconds: 2))
        life.announce(at: at(2_000))
        #expect(!life.isIdle(at: at(9_000), forSeconds: 2))
    }

    @Test func thePingBehindTheWarningIsSentOnceAndOnlyWhileTheClientIsWarned() {
        var life = ConnectionLife(now: at(0), ageSeconds: nil)
        var pings = [life.takePing()]
        #expect(life.isOpen)
        life.announce(at: at(0))
        #expect(life.isAnnouncing && !life.isOpen)
        pings += [life.takePing(), life.takePing()]
        life.announce(at: at(0))
        life.drain()
        pings.append(life.takePing())
        #expect(life.isDraining)
        #expect(pings == [false, true, false, false])
    }

    @Test func aWarningIsOverAfterItsTime() {
        let time = CallLimits.warningSeconds * 1_000
        var life = ConnectionLife(now: at(0), ageSeconds: nil)
        #expect(!life.isWarningOver(at: at(time)))
        life.announce(at: at(1_000))
        _ = life.takePing()
        #expect(!life.isWarningOver(at: at(time + 999)))
        #expect(life.isWarningOver(at: at(time + 1_000)))
        life.drain()
        #expect(!life.isWarningOver(at: at(time + 1_000)))
    }
}
