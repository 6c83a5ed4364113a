import GRPC
import Protobuf
import RPC
import RelationAPI
import RelationAdmission
import RelationModel
import Testing

@testable import TIMGateway

/// The form of TIM's REST API: targets, bodies, answers and codes, without a server.
@Suite struct TIMFormTests {
    private func target(_ text: String) -> TIMTarget? { TIMTarget(Array(text.utf8)) }

    private func failure<T>(_ body: () throws(TIMError) -> T) -> Int? {
        do throws(TIMError) {
            _ = try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func body(_ text: String, _ service: TIMService = .sns) throws -> TIMBody {
        try TIMBody(Array(text.utf8), in: service)
    }

    @Test func theOrderOfParametersIsFree() throws {
        let found = try #require(
            target("/v4/sns/friend_add?usersig=a*b-c_&random=7&identifier=x%2By&sdkappid=12"))
        #expect((found.service, found.command) == ("sns", "friend_add"))
        let credentials = try found.credentials()
        #expect(credentials.app == 12)
        #expect(credentials.identifier == "x+y")
        #expect(credentials.signature == Array("a*b-c_".utf8))
        #expect(credentials.metadata.map(\.value) == ["TIMAdmin a*b-c_", "12", "x+y"])
    }

    @Test(arguments: [
        ("/v4/sns/friend_add", 60012), ("/v4/sns/friend_add?sdkappid=", 60012),
        ("/v4/sns/friend_add?sdkappid=-1", 60006),
        ("/v4/sns/friend_add?sdkappid=4294967296", 60006),
        ("/v4/sns/friend_add?sdkappid=1", 60025),
        ("/v4/sns/friend_add?sdkappid=1&identifier=a", 60025),
        ("/v4/sns/friend_add?sdkappid=1&identifier=%ff&usersig=s", 60025),
        ("/v4/sns/friend_add?sdkappid=1&identifier=a&usersig=s&contenttype=xml", 60025),
        ("/v4/sns/friend_add?sdkappid=1&identifier=a&usersig=s%0d%0ax:y", 70003),
    ])
    func aTargetWithoutCredentialsHasTheVendorsCode(text: String, code: Int) throws {
        let found = try #require(target(text))
        #expect(failure { () throws(TIMError) in try found.credentials() } == code)
    }

    @Test func aMalformedOrLongTargetIsNone() {
        #expect(target("/v4/sns/friend_add?sdkappid=%1") == nil)
        #expect(target("/v4/sns/friend_add?sdkappid=%xy") == nil)
        let room = TIMLimits.targetBytes - "/v4/?a=".utf8.count
        #expect(target("/v4/?a=" + String(repeating: "x", count: room)) != nil)
        #expect(target("/v4/?a=" + String(repeating: "x", count: room + 1)) == nil)
        #expect(target("/v4/sns/friend_add/more")?.command == "")
        #expect(target("/v4/")?.service == "")
    }

    @Test func aMemberOfAnotherTypeIsABadParameterOfItsService() throws {
        let codes: [(TIMService, Int)] = [
            (.sns, 30001), (.follow, 30001), (.profile, 40001), (.login, 70402), (.presence, 90001),
        ]
        for (service, code) in codes {
            let body = try body(#"{"a": 7, "b": ["x", 7], "c": null, "d": "7"}"#, service)
            #expect(failure { () throws(TIMError) in try body.text("a") } == code)
            #expect(failure { () throws(TIMError) in try body.text("c") } == code)
            #expect(failure { () throws(TIMError) in try body.texts("b", atMost: 9) } == code)
            #expect(failure { () throws(TIMError) in try body.texts("b", atMost: 1) } == code)
            #expect(failure { () throws(TIMError) in try body.number("c") } == code)
            #expect(try body.number("d") == 7)
            #expect(try body.numberIfAny("c") == nil)
        }
        #expect(failure { () throws(TIMError) in try TIMBody([0xFF], in: .sns) } == 60003)
        #expect(failure { () throws(TIMError) in try TIMBody([], in: .presence) } == 90001)
        let number = try body(#"{"UserID": 7, "Identifier": "x"}"#, .login)
        #expect(failure { () throws(TIMError) in try number.userID() } == 60015)
    }

    @Test(arguments: ["-1", "1.5", "1e3", "18446744073709551616", "true", "[]", "\"\"", "\"x\""])
    func aNumberIsWholeAndNotNegative(text: String) throws {
        let body = try body(#"{"a": \#(text)}"#)
        let code = failure { () throws(TIMError) in try body.number("a") }
        #expect(code == 30001)
    }

    @Test func anAnswerHasItsMembersBeforeTheEnvelope() {
        let results = [TIMResult("a", 0, "OK"), TIMResult("b\"", 30001, "Err")]
        let answer = TIMAnswer("ResultItem", results)
        let items =
            #"{"ResultItem":[{"To_Account":"a","ResultCode":0,"ResultInfo":""},"#
            + #"{"To_Account":"b\"","ResultCode":30001,"ResultInfo":"Err"}],"#
            + #""Fail_Account":["b\""],"#
        let end = #""ActionStatus":"OK","ErrorCode":0,"ErrorInfo":"""#
        #expect(String(decoding: answer.text(in: .login), as: UTF8.self) == items + end + "}")
        #expect(
            String(decoding: answer.text(in: .sns), as: UTF8.self)
                == items + end + #","ErrorDisplay":""}"#)
        let refused = TIMAnswer().text(in: .sns, TIMError(30003, "why"))
        #expect(
            String(decoding: refused, as: UTF8.self)
                == #"{"ActionStatus":"FAIL","ErrorCode":30003,"ErrorInfo":"why","ErrorDisplay":""}"#
        )
    }

    @Test func aFailedCallHasTheCodeOfItsService() {
        func code(_ reason: String, _ word: String, _ service: TIMService) -> Int {
            let failure = InsideCalls.Failure(code: word, reason: reason, message: "why")
            return TIMError(failure, in: service, TIMFieldNames(service, "")).code
        }
        #expect(code("USER_NOT_FOUND", "", .sns) == 30003)
        #expect(code("USER_NOT_FOUND", "", .profile) == 40003)
        #expect(code("THROTTLED", "", .login) == 60007)
        #expect(code("ACCOUNT_SUSPENDED", "permission_denied", .sns) == 30009)
        #expect(code("ACCOUNT_SUSPENDED", "permission_denied", .login) == 70051)
        #expect(code("ACCOUNT_SUSPENDED", "permission_denied", .profile) == 40004)
        #expect(code("CREDENTIAL_EXPIRED", "", .sns) == 70001)
        #expect(code("CONFLICT", "", .follow) == 30008)
        #expect(code("INVALID_FIELD", "invalid_argument", .login) == 70402)
        #expect(code("", "deadline_exceeded", .sns) == 30007)
        #expect(code("STORAGE_UNAVAILABLE", "unavailable", .presence) == 91000)
        #expect(code("", "", .profile) == 40006)
    }

    @Test func aRefusedSignatureIsCountedAsThatOfAnyCall() {
        func counted(_ error: AdministratorError) -> (Int, Status.Code, ErrorReason) {
            let refused = TIMError.signature(error)
            let reason = ErrorReason(rawValue: Int32(refused.error.reason))
            return (refused.code, refused.error.code, reason)
        }
        let invalid: [(AdministratorError, Int)] = [
            (.appUnknown, 70020), (.malformed, 70003), (.foreignApp, 70014), (.foreignUser, 70013),
            (.notVerified, 70009), (.ofTheFuture, 70003), (.notAnswered, 60017),
            (.noAdministrator, 60010),
        ]
        for (error, code) in invalid {
            #expect(counted(error) == (code, .unauthenticated, .credentialInvalid))
        }
        #expect(counted(.expired) == (70001, .unauthenticated, .credentialExpired))
        #expect(counted(.revoked) == (70001, .unauthenticated, .sessionRevoked))
        #expect(TIMError.tooMany.error.reason == UInt16(ErrorReason.overloaded.rawValue))
    }

    @Test func aFailedCallGivesItsStatusToTheRequest() {
        func status(_ word: String) -> Status.Code {
            let failure = InsideCalls.Failure(code: word, reason: "THROTTLED", message: "why")
            let error = TIMError(failure, in: .sns, TIMFieldNames(.sns, "")).error
            // The call itself has counted its reason.
            #expect(error.reason == 0)
            return error.code
        }
        #expect(status("resource_exhausted") == .resourceExhausted)
        #expect(status("not_found") == .notFound)
        #expect(status("canceled") == .cancelled)
        #expect(status("ok") == .unknown)
        #expect(status("no such word") == .unknown)
        #expect(status("") == .unavailable)
    }

    @Test func theVendorHasOneCodeForTheBlacklistsOwnRefusals() {
        #expect(TIMResult.code(of: .alreadyInBlacklist) == 30001)
        #expect(TIMResult.code(of: .notInBlacklist) == 30001)
        #expect(TIMResult.code(of: .tagNotFound) == 30001)
        #expect(TIMResult.code(of: .pending) == 30539)
    }

    @Test func sequencesFitInto31Bits() {
        #expect(Int64(1_900_000_000_000_001).clientSequence <= Int64(Int32.max))
        #expect(Int64(7).clientSequence == 7)
    }

    @Test func itemsComeInPieces() {
        #expect([1, 2, 3, 4, 5].pieces(of: 2) == [[1, 2], [3, 4], [5]])
        #expect([Int]().pieces(of: 2).isEmpty)
    }
}
