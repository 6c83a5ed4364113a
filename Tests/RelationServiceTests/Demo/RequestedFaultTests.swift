import GRPC
import RPC
import RelationModel
import Testing

@testable import RelationService

/// The faults that a caller of a demo asks for.
struct RequestedFaultTests {
    @Test func aFaultIsReadFromItsParts() throws {
        let fault = try RequestedFault(
            " code=UNAVAILABLE ; reason=OVERLOADED;message=come again; retry-ms=250; "
                + "delay-ms=60000;")
        #expect(fault.delayMilliseconds == 60_000)
        #expect(fault.count == nil)
        #expect(
            fault.end
                == .status(
                    .unavailable, reason: .overloaded, message: "come again",
                    retryMilliseconds: 250))
        #expect(try RequestedFault("cut").end == .cut)
        #expect(try RequestedFault("stale-token; delay-ms=1").end == .staleToken)
        #expect(try RequestedFault("delay-ms=1").end == .pass)
        #expect(
            try RequestedFault("cut;times=1000;name=a b").count
                == RequestedFault.Count(name: "a b", times: 1_000))
        let bare = try RequestedFault("code=INTERNAL; reason=ERROR_REASON_STORAGE_UNAVAILABLE").end
        guard case .status(.internalError, .storageUnavailable?, _, nil) = bare else {
            Issue.record("\(bare)")
            return
        }
    }

    @Test(arguments: [
        ("", "needs code, delay-ms, cut or stale-token"),
        (" ; ", "needs code, delay-ms, cut or stale-token"),
        ("code=OK", "code takes a code of gRPC but OK, and not OK"),
        ("code=unavailable", "code takes a code of gRPC but OK, and not unavailable"),
        ("code=", "code takes a code of gRPC but OK, and not "),
        ("code", "code takes a value"),
        ("cut=1", "cut takes no value"),
        ("=1", "has a value without a name"),
        ("cut; cut", "has cut twice"),
        ("cut; stale-token", "cut and stale-token exclude each other"),
        ("code=ABORTED; cut", "code and cut exclude each other"),
        ("reason=OVERLOADED", "reason needs code"),
        ("cut; message=x", "message needs code"),
        ("code=ABORTED; reason=NOTHING", "reason takes an ErrorReason, and not NOTHING"),
        ("code=ABORTED; reason=UNSPECIFIED", "reason takes an ErrorReason, and not UNSPECIFIED"),
        ("code=ABORTED; retry-ms=1", "retry-ms needs reason"),
        ("code=ABORTED; reason=CONFLICT; retry-ms=3600001", "retry-ms takes 0 to 3600000"),
        ("delay-ms=0", "delay-ms takes 1 to 60000"),
        ("delay-ms=60001", "delay-ms takes 1 to 60000"),
        ("delay-ms=+1", "delay-ms takes 1 to 60000"),
        ("delay-ms=99999999999999999999", "delay-ms takes 1 to 60000"),
        ("cut; times=1", "times and name need each other"),
        ("cut; name=a", "times and name need each other"),
        ("cut; times=0; name=a", "times takes 1 to 1000"),
        ("cut; times=1001; name=a", "times takes 1 to 1000"),
        ("cut; times=1; name=", "name has 1 to 64 bytes"),
        ("slow=1", "knows no slow"),
    ])
    func aMalformedTextIsRefusedWithTheRule(_ text: String, _ words: String) {
        #expect(throws: RequestedFault.SyntaxError(words)) { try RequestedFault(text) }
    }

    @Test func aTextAndANameHaveTheirBounds() throws {
        let name = String(repeating: "n", count: DemoLimits.nameBytes)
        #expect(try RequestedFault("cut; times=1; name=\(name)").count?.name == name)
        #expect(throws: RequestedFault.SyntaxError.self) {
            try RequestedFault("cut; times=1; name=\(name)n")
        }
        let start = "code=ABORTED; message="
        let message = String(repeating: "m", count: DemoLimits.faultBytes - start.utf8.count)
        #expect(throws: Never.self) { try RequestedFault(start + message) }
        #expect(throws: RequestedFault.SyntaxError("has at most 1024 bytes")) {
            try RequestedFault(start + message + "m")
        }
    }

    // MARK: - What a call gets

    private let path = "/relation.v1.FriendService/CheckFriends"

    /// The error of a call that asks for `text`; nil if it has none.
    private func refusal(
        _ text: String, on path: String? = nil, _ faults: RequestedFaults = RequestedFaults()
    ) -> RPCError? {
        guard case .fail(let error)? = faults.verdict(text, on: path ?? self.path)?.end else {
            return nil
        }
        return error
    }

    @Test func aCodeComesWithItsReasonAndItsPause() throws {
        let error = try #require(
            refusal("code=RESOURCE_EXHAUSTED; reason=THROTTLED; message=slowly; retry-ms=1500"))
        #expect(error.code == .resourceExhausted)
        #expect(error.message == "slowly")
        #expect(try error.unpacked().reason == "THROTTLED")
        #expect(try error.unpacked().retryMilliseconds == 1_500)
        #expect(refusal("code=DATA_LOSS")?.code == .dataLoss)
    }

    @Test func aMalformedTextIsAFaultOfItsField() throws {
        let error = try #require(refusal("delay-ms=never"))
        #expect(error.code == .invalidArgument)
        #expect(try error.unpacked().reason == "INVALID_FIELD")
        #expect(try error.unpacked().fields == ["x-demo-fault"])
    }

    @Test func aStaleTokenIsTheTokenThatTheCallTakes() throws {
        let list = "/relation.v1.FriendService/ListFriends"
        let watch = "/relation.v1.ChangeService/Watch"
        for (path, reason, field) in [
            (list, "INVALID_PAGE_TOKEN", "page_token"),
            (watch, "INVALID_RESUME_TOKEN", "resume_token"),
        ] {
            let error = try #require(refusal("stale-token", on: path))
            #expect(error.code == .invalidArgument)
            #expect(try error.unpacked().reason == reason)
            #expect(try error.unpacked().fields == [field])
        }
        let other = try #require(refusal("stale-token"))
        #expect(other.message.contains("needs a call that takes a token"))
    }

    @Test func aCountedFaultComesSoOftenAndNoMore() {
        let faults = RequestedFaults()
        let text = "code=UNAVAILABLE; times=2; name=one"
        #expect((0..<4).map { _ in refusal(text, faults) != nil } == [true, true, false, false])
        #expect(refusal("code=UNAVAILABLE; times=1; name=other", faults) != nil)
    }

    @Test func theCountThatBeganFirstIsForgotten() {
        let faults = RequestedFaults()
        func comes(_ name: Int) -> Bool {
            refusal("code=UNAVAILABLE; times=1; name=\(name)", faults) != nil
        }
        for name in 0..<DemoLimits.names { #expect(comes(name)) }
        #expect(!comes(0))
        #expect(comes(DemoLimits.names))
        #expect(comes(0))
        #expect(!comes(2))
    }

    private func refusal(_ text: String, _ faults: RequestedFaults) -> RPCError? {
        refusal(text, on: nil, faults)
    }
}
