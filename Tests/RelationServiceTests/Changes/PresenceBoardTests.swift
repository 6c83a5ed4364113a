import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Synchronization
import Testing

@testable import RelationAdmission
@testable import RelationCalls
@testable import RelationChanges
@testable import RelationService

@Suite struct PresenceBoardTests {
    private static let start = Timestamp(milliseconds: World.start)

    private func at(_ milliseconds: Int64) -> Timestamp {
        Self.start.advanced(byMilliseconds: milliseconds)
    }

    private func online(
        _ user: UserID, _ device: String = "phone", seconds: Int64 = 60
    ) -> PresenceBoard.Report {
        PresenceBoard.Report(
            user: user, deviceID: device, platform: "ios", online: true, leaseMs: seconds * 1_000)
    }

    private func offline(_ user: UserID, _ device: String = "phone") -> PresenceBoard.Report {
        PresenceBoard.Report(
            user: user, deviceID: device, platform: "ios", online: false, leaseMs: 0)
    }

    /// The known devices of a user, each as `id+` or `id-` and its time.
    private func devices(
        _ board: PresenceBoard, _ user: UserID, _ milliseconds: Int64, created: Int64 = 0
    ) -> [String] {
        let presence = board.presence(
            of: user, app: 1, createdMs: created, at: at(milliseconds))
        #expect(presence.online == presence.devices.contains(where: \.online))
        return presence.devices.map {
            "\($0.deviceID)\($0.online ? "+" : "-")\($0.changeTimeMs - World.start)"
        }
    }

    @Test func aUserIsOnlineWhileAnyDeviceIs() {
        let board = PresenceBoard()
        board.report([online("A", "b"), online("A", "a")], app: 1, at: at(0))
        #expect(devices(board, "A", 1) == ["a+0", "b+0"])
        board.report([offline("A", "a")], app: 1, at: at(5))
        #expect(devices(board, "A", 6) == ["a-5", "b+0"])
        board.report([offline("A", "b")], app: 1, at: at(7))
        #expect(devices(board, "A", 8) == ["a-5", "b-7"])
        #expect(devices(board, "B", 8) == [])
        // Each app has its own users.
        #expect(board.presence(of: "A", app: 2, createdMs: 0, at: at(8)).devices.isEmpty)
    }

    @Test func aLeaseThatIsRepeatedGoesOnAndOneThatIsNotEndsAtItsTime() {
        let board = PresenceBoard()
        board.report([online("A", seconds: 10)], app: 1, at: at(0))
        board.report([online("A", seconds: 10)], app: 1, at: at(9_500))
        #expect(devices(board, "A", 19_499) == ["phone+0"])
        // A read is exact to the millisecond, even if nothing has ended the lease before.
        #expect(devices(board, "A", 19_500) == ["phone-19500"])
        board.report([online("A", seconds: 10)], app: 1, at: at(30_000))
        #expect(devices(board, "A", 30_000) == ["phone+30000"])
    }

    // MARK: Reports with a time

    private func timed(
        _ report: PresenceBoard.Report, _ milliseconds: Int64
    ) -> PresenceBoard.Report {
        var report = report
        report.timeMs = World.start + milliseconds
        return report
    }

    /// The report with the latest time holds, whatever the order in which all of them arrive.
    @Test func reportsWithATimeEndInTheSameStateInAnyOrder() {
        let reports = [
            timed(online("A", seconds: 60), 10), timed(offline("A"), 20),
            timed(online("A", seconds: 30), 30), timed(online("A", seconds: 10), 40),
            timed(offline("A"), 40), timed(online("A", seconds: 20), 50),
        ]
        for count in 1...reports.count {
            var numbers = SystemRandomNumberGenerator()
            for _ in 0..<40 {
                let board = PresenceBoard()
                let part = reports.prefix(count).shuffled(using: &numbers)
                for (index, report) in part.enumerated() {
                    board.report([report], app: 1, at: at(100 + Int64(index)))
                    board.checkInvariants()
                }
                let known = board.presence(of: "A", app: 1, createdMs: 0, at: at(200)).devices
                #expect(known.map(\.online) == [[true, false, true, true, false, true][count - 1]])
                // Leases count from the time of the report.
                let ends: [Int64?] = [60_010, nil, 30_030, 10_040, nil, 20_050]
                guard let end = ends[count - 1] else { continue }
                #expect(board.presence(of: "A", app: 1, createdMs: 0, at: at(end - 1)).online)
                #expect(!board.presence(of: "A", app: 1, createdMs: 0, at: at(end)).online)
            }
        }
    }

    @Test func aReportBeforeTheLatestOneIsOutdatedAndOneWithoutATimeIsNot() {
        let board = PresenceBoard()
        board.report([timed(offline("A"), 20)], app: 1, at: at(100))
        #expect(board.isOutdated(timed(online("A"), 19), app: 1))
        #expect(board.isOutdated(timed(online("A"), 20), app: 1), "offline is later")
        #expect(!board.isOutdated(timed(offline("A"), 20), app: 1), "the same once more")
        #expect(!board.isOutdated(timed(online("A"), 21), app: 1))
        #expect(!board.isOutdated(online("A"), app: 1))
        #expect(!board.isOutdated(timed(online("A", "web"), 1), app: 1), "another device")
        #expect(!board.isOutdated(timed(online("B"), 1), app: 1), "another user")
        #expect(!board.isOutdated(timed(online("A"), 1), app: 2), "another app")
        var anew = timed(online("A"), 1)
        anew.createdMs = World.start + 200
        #expect(!board.isOutdated(anew, app: 1), "of an account that was made again")
        board.report([online("A")], app: 1, at: at(110))
        #expect(devices(board, "A", 111) == ["phone+110"])
        #expect(board.isOutdated(timed(offline("A"), 109), app: 1), "it arrived later")
    }

    @Test func aTimeAheadOfTheClockCountsForTheOrderAlone() {
        let board = PresenceBoard()
        board.report([timed(online("A", seconds: 10), 500)], app: 1, at: at(100))
        #expect(devices(board, "A", 101) == ["phone+100"])
        #expect(devices(board, "A", 10_100) == ["phone-10100"])
        board.report([timed(offline("A"), 400)], app: 1, at: at(110))
        #expect(devices(board, "A", 111) == ["phone+100"])
    }

    @Test func theEndOfALeaseIsReported() {
        let board = PresenceBoard()
        let wakes = Atomic(0)
        board.follow { wakes.add(1, ordering: .relaxed) }
        board.report([online("A", seconds: 10), online("B", seconds: 11)], app: 1, at: at(0))
        #expect(board.takeChanges(at: at(0)).map(\.user) == ["A", "B"])
        #expect(!board.expire(at: at(9_999)))
        #expect(board.takeChanges(at: at(9_999)).isEmpty)
        #expect(board.expire(at: at(10_000)))
        let changes = board.takeChanges(at: at(10_000))
        #expect(changes.map(\.user) == ["A"])
        #expect(changes.map(\.presence.online) == [false])
        #expect(changes.map(\.presence.devices.first?.changeTimeMs) == [World.start + 10_000])
        #expect(!board.expire(at: at(10_500)))
        // A lease ends even if the board was not asked for a very long time.
        #expect(board.expire(at: at(1_000_000_000)))
        #expect(board.takeChanges(at: at(1_000_000_000)).map(\.user) == ["B"])
        #expect(wakes.load(ordering: .relaxed) == 3)
    }

    @Test func onlyWhatOthersSeeIsAChange() {
        let board = PresenceBoard()
        board.follow {}
        board.report([online("A")], app: 1, at: at(0))
        _ = board.takeChanges(at: at(0))
        board.report([online("A")], app: 1, at: at(1_000))
        #expect(board.takeChanges(at: at(1_000)).isEmpty)
        var other = online("A")
        other.platform = "web"
        board.report([other], app: 1, at: at(2_000))
        #expect(board.takeChanges(at: at(2_000)).map(\.presence.devices[0].platform) == ["web"])
        // A user that changed twice before the changes are taken is reported once, with its last
        // presence.
        board.report([offline("A")], app: 1, at: at(3_000))
        board.report([online("B"), online("A")], app: 1, at: at(4_000))
        let changes = board.takeChanges(at: at(4_000))
        #expect(changes.map(\.user) == ["A", "B"])
        #expect(changes.map(\.presence.online) == [true, true])
    }

    @Test func whatNoUserFollowsIsNotKept() {
        let board = PresenceBoard()
        board.report([online("A")], app: 1, at: at(0))
        board.follow {}
        #expect(board.takeChanges(at: at(1)).isEmpty)
    }

    @Test func aDeviceMoreThanTheLimitTakesTheOldestOfflineOne() {
        let board = PresenceBoard()
        let ids = (0..<Limits.devicesPerUser).map { "d\($0)" }
        board.report(ids.map { online("A", $0) }, app: 1, at: at(0))
        board.report([offline("A", "d3")], app: 1, at: at(1))
        board.report([offline("A", "d2")], app: 1, at: at(2))
        board.report([online("A", "new")], app: 1, at: at(3))
        var known = board.presence(of: "A", app: 1, createdMs: 0, at: at(3)).devices
        #expect(known.count == Limits.devicesPerUser)
        #expect(!known.contains { $0.deviceID == "d3" })
        // A device that is already known needs no room.
        board.report([online("A", "d2", seconds: 10)], app: 1, at: at(4))
        known = board.presence(of: "A", app: 1, createdMs: 0, at: at(4)).devices
        #expect(known.count == Limits.devicesPerUser)
        // All are online: the device whose lease ends first goes.
        board.report([online("A", "newer")], app: 1, at: at(5))
        known = board.presence(of: "A", app: 1, createdMs: 0, at: at(5)).devices
        #expect(known.count == Limits.devicesPerUser)
        #expect(!known.contains { $0.deviceID == "d2" })
    }

    @Test func aUserMoreThanTheLimitTakesTheOneThatIsOfflineLongest() {
        let board = PresenceBoard(limit: 3)
        board.follow {}
        board.report([online("A"), online("B"), online("C")], app: 1, at: at(0))
        board.report([offline("B")], app: 1, at: at(1))
        board.report([offline("A")], app: 1, at: at(2))
        // A user that came back is not offline, however long it was offline before.
        board.report([online("B")], app: 1, at: at(3))
        board.report([online("D")], app: 1, at: at(4))
        #expect(board.count == 3)
        #expect(devices(board, "A", 5).isEmpty)
        #expect(devices(board, "B", 5) == ["phone+3"])
        // No user is offline: the user whose lease ends first goes, and this is reported.
        board.report([online("C", seconds: 10)], app: 1, at: at(5))
        _ = board.takeChanges(at: at(5))
        board.report([online("E")], app: 1, at: at(6))
        #expect(board.count == 3)
        #expect(devices(board, "C", 6).isEmpty)
        let changes = board.takeChanges(at: at(6))
        #expect(changes.map(\.user) == ["C", "E"])
        #expect(changes.map(\.presence.online) == [false, true])
    }

    @Test func anAppThatReportsVeryManyUsersTakesNoneFromOneThatHasFewer() {
        let board = PresenceBoard(limit: 10)
        board.report((0..<3).map { online(UserID(stored: "few\($0)".utf8)) }, app: 2, at: at(0))
        // The users of the small app are offline longest, and their leases end first.
        board.report([offline("few0")], app: 2, at: at(1))
        for number in 0..<50 {
            let user = UserID(stored: "many\(number)".utf8)
            board.report([online(user, seconds: 3_000)], app: 1, at: at(2))
            board.checkInvariants()
        }
        #expect(board.count == 10)
        for number in 0..<3 {
            let user = UserID(stored: "few\(number)".utf8)
            let known = board.presence(of: user, app: 2, createdMs: 0, at: at(3))
            #expect(known.devices.count == 1)
        }
        // A third app finds room too, as much as each of the others has.
        board.report((0..<9).map { online(UserID(stored: "new\($0)".utf8)) }, app: 3, at: at(4))
        board.checkInvariants()
        #expect(board.count == 10)
        let few = (0..<3).map { UserID(stored: "few\($0)".utf8) }.count { user in
            !board.presence(of: user, app: 2, createdMs: 0, at: at(5)).devices.isEmpty
        }
        #expect(few == 3)
    }

    @Test func usersThatComeAndGoLeaveNothingBehind() {
        let board = PresenceBoard(limit: 2)
        for number in 0..<1_000 {
            let time = Int64(number) * 1_000
            let user = UserID(stored: "u\(number % 7)".utf8)
            board.report([online(user, seconds: Int64(10 + number % 5))], app: 1, at: at(time))
            if number % 3 == 0 { board.report([offline(user)], app: 1, at: at(time)) }
            board.expire(at: at(time))
            board.checkInvariants()
        }
        #expect(board.count == 2)
        board.forget(app: 1)
        board.checkInvariants()
        #expect(board.count == 0)
    }

    /// The clock stands before the time at which the account was made.
    @Test(arguments: [false, true])
    func aClockThatWasSetBackHidesNoOneWhoIsOnline(_ isRow: Bool) {
        let board = PresenceBoard()
        let created = World.start + 60_000
        var report = online("A")
        (report.createdMs, report.timeMs) = (created, World.start + 5)
        if isRow {
            let shared = SharedReports(
                [report], app: 1, at: at(10), while: { true }, done: { _ in })
            board.merge(board.rows(of: [shared]), at: at(10))
        } else {
            board.report([report], app: 1, at: at(10))
        }
        #expect(devices(board, "A", 11, created: created) == ["phone+5"])
        report.online = false
        report.timeMs = World.start + 20
        board.report([report], app: 1, at: at(20))
        #expect(devices(board, "A", 21, created: created) == ["phone-20"])
        // The account that is made under the same id next has nothing of it.
        #expect(devices(board, "A", 22, created: created + 1) == [])
    }

    @Test func anAccountThatWasMadeAnewIsNotTheOneThatWasOnline() {
        let board = PresenceBoard()
        board.report([online("A", "old")], app: 1, at: at(0))
        #expect(devices(board, "A", 10, created: World.start + 5).isEmpty)
        var report = online("A", "new")
        report.createdMs = World.start + 5
        board.report([report], app: 1, at: at(11))
        #expect(devices(board, "A", 12, created: World.start + 5) == ["new+11"])
    }
}
