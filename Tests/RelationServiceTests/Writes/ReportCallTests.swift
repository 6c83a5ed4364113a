import Protobuf
import RPC
import RelationAPI
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

/// The calls on reports, with the fields of their requests.
@Suite struct ReportCallTests {
    private func report(
        _ harness: ServiceHarness, _ user: String, by reporter: String = "A",
        _ edit: (inout ReportUserRequest) -> Void = { _ in }
    ) throws -> ReportUserResponse {
        var request = ReportUserRequest()
        (request.userID, request.reportedUserID, request.category) = (reporter, user, .spam)
        edit(&request)
        return try harness.write(ModerationMethods.reportUser, request, ReportHandlers.report).get()
    }

    private func list(
        _ harness: ServiceHarness, _ edit: (inout ListReportsRequest) -> Void = { _ in }
    ) throws -> ListReportsResponse {
        var request = ListReportsRequest()
        edit(&request)
        var answer = ListReportsResponse()
        try harness.read(request, ReportHandlers.list) { answer = try #require($0) }
        return answer
    }

    @Test func aMalformedFieldHasItsReason() throws {
        let harness = ServiceHarness(try World("A", "B"))
        typealias Reasons = Reason.UserReport
        #expect(try report(harness, " bad").reason == Reasons.userIDIllegal)
        #expect(
            try report(harness, "B") { $0.category = .unspecified }.reason
                == Reasons.categoryIllegal)
        #expect(
            try report(harness, "B") { $0.category = ReportCategory(rawValue: 7) }.reason
                == Reasons.categoryIllegal)
        let text = String(repeating: "x", count: Limits.reportTextBytes)
        let reference = String(repeating: "x", count: Limits.reportReferenceBytes)
        #expect(try report(harness, "B") { $0.text = text + "x" }.reason == Reasons.textIllegal)
        #expect(
            try report(harness, "B") { $0.reference = reference + "x" }.reason
                == Reasons.textIllegal)
        #expect(
            try report(harness, "B") { ($0.text, $0.reference) = (text, reference) }.applied)
        let row = try #require(try list(harness).reports.first)
        #expect(row.text == text && row.reference == reference && row.reporterUserID == "A")
    }

    @Test func aListLeavesOutWhatItIsAskedTo() throws {
        let harness = ServiceHarness(try World("A", "B", "C"))
        var times: [Int64] = []
        for user in ["B", "C"] {
            times.append(harness.world.now.milliseconds)
            #expect(try report(harness, user).applied)
            harness.world.advance(milliseconds: 10)
        }
        #expect(try report(harness, "C", by: "B").applied)
        var resolve = ResolveReportsRequest()
        resolve.items = ["1", "x", "01", "9"].map { id in
            ReportResolution.with { ($0.reportID, $0.outcome) = (id, .dismissed) }
        }
        let resolved = try harness.write(
            ModerationMethods.resolveReports, resolve, ReportHandlers.resolve
        ).get()
        typealias Reasons = Reason.ReportResolve
        #expect(
            resolved.results.map(\.reason)
                == [.none, Reasons.idIllegal, Reasons.idIllegal, Reasons.notExist])
        let all = try list(harness)
        #expect(all.reports.map(\.reportID) == ["3", "2", "1"])
        #expect(all.totalSize == 3 && all.openSize == 2)
        #expect(try list(harness) { $0.onlyOpen = true }.reports.map(\.reportID) == ["3", "2"])
        let about = try list(harness) { $0.reportedUserID = "C" }
        #expect(about.reports.map(\.reportID) == ["3", "2"] && about.totalSize == 2)
        #expect(
            try list(harness) { $0.sinceTimeMs = times[1] + 1 }.reports.map(\.reportID) == ["3"])
        #expect(try list(harness) { $0.untilTimeMs = times[1] }.reports.map(\.reportID) == ["1"])
        // A page looks at rows that it leaves out.
        let page = try list(harness) { ($0.pageSize, $0.untilTimeMs) = (2, times[1]) }
        #expect(page.reports.isEmpty && !page.nextPageToken.isEmpty)
        let next = try list(harness) {
            ($0.pageSize, $0.untilTimeMs) = (2, times[1])
            $0.pageToken = page.nextPageToken
        }
        #expect(next.reports.map(\.reportID) == ["1"] && next.nextPageToken.isEmpty)
        #expect(throws: RPCError.self) {
            try list(harness) { ($0.reportedUserID, $0.pageToken) = ("C", page.nextPageToken) }
        }
    }
}
