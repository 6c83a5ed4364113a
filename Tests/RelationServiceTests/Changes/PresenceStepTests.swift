import RelationCore
import RelationModel
import RelationSuite
import Synchronization
import Testing

@testable import RelationChanges

/// The steps that a board reports of devices that go online or offline.
@Suite struct PresenceStepTests {
    private final class ObservedSteps: Sendable {
        let steps = Mutex<[String]>([])

        /// The steps since the last call, each as its cause, its platform and its time.
        func take() -> [String] {
            steps.withLock { steps in
                defer { steps = [] }
                return steps
            }
        }
    }

    private func at(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: World.start).advanced(byMilliseconds: milliseconds)
    }

    private func report(
        _ user: UserID, _ device: String, online: Bool = true, seconds: Int64 = 60
    ) -> PresenceBoard.Report {
        PresenceBoard.Report(
            user: user, deviceID: device, platform: device, online: online,
            leaseMs: online ? seconds * 1_000 : 0)
    }

    private func observed(_ board: PresenceBoard) -> ObservedSteps {
        let notified = ObservedSteps()
        board.observe(
            PresenceObserver(
                wants: { $0 == 1 },
                notify: { steps in
                    notified.steps.withLock { all in
                        for step in steps {
                            let time = step.timeMs.map { "\($0 - World.start)" } ?? "-"
                            let gone = step.drivenOut.map { " out:\($0)" }.joined()
                            all.append("\(step.cause) \(step.platform) \(time)\(gone)")
                        }
                    }
                }))
        return notified
    }

    @Test func reportsAndEndsOfLeasesAreReported() {
        let board = PresenceBoard()
        let notified = observed(board)
        board.report([report("A", "phone"), report("A", "web", seconds: 10)], app: 1, at: at(0))
        #expect(notified.take() == ["reportedOnline phone 0", "reportedOnline web 0"])
        board.report([report("A", "phone")], app: 1, at: at(1_000))
        #expect(notified.take() == [])
        board.report([report("A", "phone", online: false)], app: 1, at: at(2_000))
        #expect(notified.take() == ["reportedOffline phone 2000"])
        board.expire(at: at(11_000))
        #expect(notified.take() == ["leaseEnded web 10000"])
        board.report([report("A", "web", online: false)], app: 1, at: at(12_000))
        #expect(notified.take() == [])
    }

    @Test func aLeaseThatEndsUnnoticedIsReportedBeforeTheNextLogin() {
        let board = PresenceBoard()
        let notified = observed(board)
        board.report([report("A", "phone", seconds: 10)], app: 1, at: at(0))
        _ = notified.take()
        board.report([report("A", "phone")], app: 1, at: at(20_000))
        #expect(notified.take() == ["leaseEnded phone 10000", "reportedOnline phone 20000"])
    }

    @Test func aLoginNamesTheDeviceThatItDrivesOut() {
        let board = PresenceBoard()
        let notified = observed(board)
        for number in 0..<Limits.devicesPerUser {
            let device = report("A", "d\(number)", seconds: Int64(100 + number))
            board.report([device], app: 1, at: at(0))
        }
        _ = notified.take()
        board.report([report("A", "new", seconds: 500)], app: 1, at: at(1))
        #expect(notified.take() == ["reportedOnline new 1 out:d0"])
    }

    @Test func usersThatAreForgottenAreReported() {
        let board = PresenceBoard(limit: 1)
        let notified = observed(board)
        board.report([report("A", "phone")], app: 1, at: at(0))
        board.report([report("B", "web")], app: 1, at: at(1))
        #expect(
            notified.take() == [
                "reportedOnline phone 0", "forgotten phone -", "reportedOnline web 1",
            ])
        board.forgetAll()
        #expect(notified.take() == ["forgotten web -"])
    }

    /// A device whose lease was over is reported as such, and no device is reported twice.
    @Test func theDevicesOfAnAccountThatIsGoneGoOfflineAtOnce() {
        let board = PresenceBoard()
        let notified = observed(board)
        board.report([report("A", "phone"), report("A", "web", seconds: 10)], app: 1, at: at(0))
        board.report([report("A", "desk"), report("B", "phone")], app: 1, at: at(0))
        board.report([report("A", "desk", online: false)], app: 1, at: at(1))
        _ = notified.take()
        board.end(["A", "C"], app: 1, at: at(20_000))
        #expect(notified.take() == ["leaseEnded web 10000", "reportedOffline phone 20000"])
        #expect(board.count == 1, "only the other user is left")
        board.checkInvariants()
        board.expire(at: at(70_000))
        #expect(notified.take() == ["leaseEnded phone 60000"], "of the other user")
    }

    @Test func reportsThatEndThePresenceOfUsersNameTheirOnlineDevices() {
        let board = PresenceBoard()
        board.report([report("A", "phone"), report("A", "web", seconds: 10)], app: 1, at: at(0))
        let endings = board.endings(of: ["A", "B"], app: 1, at: at(20_000))
        #expect(endings == [report("A", "phone", online: false)])
        #expect(board.endings(of: ["A"], app: 2, at: at(20_000)).isEmpty, "another app")
    }

    @Test func anAppThatNoOneAsksAboutIsNotReported() {
        let board = PresenceBoard()
        let notified = observed(board)
        board.report([report("A", "phone")], app: 2, at: at(0))
        board.forgetAll()
        #expect(notified.take() == [])
    }
}
