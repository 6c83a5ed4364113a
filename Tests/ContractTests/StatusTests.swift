import Foundation
import Protobuf
import RelationAPI
import RelationModel
import Testing

/// Compares the numbers of the source systems, as their headers give them, with ours.
@Suite struct StatusTests {
    /// TIM's `TIMFriendStatus` without its client-only -1, and the server codes beside it.
    private static let friendCodes: [(FriendStatus, Int32)] = [
        (.success, 0), (.invalidParameter, 30001), (.accountNotFound, 30003),
        (.adminRequired, 30004), (.sensitiveText, 30005), (.addDenied, 30009),
        (.selfFriendFull, 30010), (.groupLimit, 30011), (.pendencyLimit, 30012),
        (.blacklistFull, 30013), (.theirFriendFull, 30014), (.inSelfBlacklist, 30515),
        (.friendSideForbidsAdd, 30516), (.inOtherSideBlacklist, 30525), (.pending, 30539),
        (.addRestricted, 30540), (.noApplication, 30614), (.alreadyInBlacklist, 31307),
        (.notInBlacklist, 31503), (.notFriend, 31704), (.groupAddAppNotRead, 32207),
        (.groupAddNotFriend, 32216), (.groupUpdateAppNotRead, 32511),
        (.groupUpdateNotFriend, 32518), (.alreadyInGroup, 32519), (.notInGroup, 32520),
        (.refusedByHook, 38000),
        (.writePermissionRequired, 40008), (.tagNotFound, 40009),
    ]

    @Test func friendStatusHasTheNumbersOfTIMAndNoOthers() {
        for (status, number) in Self.friendCodes { #expect(status.rawValue == number) }
        #expect(
            FriendStatus.schema.values.map(\.number).sorted() == Self.friendCodes.map(\.1).sorted())
    }

    @Test(arguments: [30519, 30520, 30615, 30617, 30630, 32521] as [Int32])
    func retiredNumbersStayRetired(_ number: Int32) {
        #expect(!FriendStatus(rawValue: number).isKnown)
    }

    @Test func profileStatusHasTheNumbersOfTheSources() {
        let tim: [Int32] = [
            0, 40001, 40002, 40003, 40004, 40005, 40006, 40007, 40008, 40009, 40601, 40605, 40610,
            38000,
        ]
        let rongCloud: [Int32] = [
            24360, 24361, 24362, 24363, 24364, 24366, 24367, 24368, 25480, 34236,
        ]
        #expect(
            ProfileStatus.schema.values.map(\.number).sorted() == (tim + rongCloud).sorted())
    }

    @Test func sendStatusHasTheNumbersOfTheMessageGate() {
        let codes: [(SendStatus, Int32)] = [
            (.success, 0), (.inPeerBlacklist, 20007), (.notFriend, 20009),
            (.notPeerFriend, 20010), (.notSelfFriend, 20011), (.shutUp, 20012),
            (.invalidParameter, 30001), (.accountNotFound, 30003),
        ]
        for (status, number) in codes { #expect(status.rawValue == number) }
        #expect(SendStatus.schema.values.map(\.number).sorted() == codes.map(\.1).sorted())
    }

    @Test func subscriptionStatusHasTheNumbersOfRongCloud() {
        let codes: [(SubscriptionStatus, Int32)] = [
            (.success, 0), (.publisherFull, 26021), (.subscriberFull, 26022),
            (.accountNotFound, 30003), (.publisherInvalid, 34308),
        ]
        for (status, number) in codes { #expect(status.rawValue == number) }
        #expect(
            SubscriptionStatus.schema.values.map(\.number).sorted() == codes.map(\.1).sorted())
    }

    @Test func followStatusHasTheNumbersOfTIM() {
        let codes: [(FollowStatus, Int32)] = [
            (.success, 0), (.invalidParameter, 30001), (.accountNotFound, 30003),
            (.inSelfBlacklist, 30515), (.inOtherSideBlacklist, 30525), (.followingFull, 32100),
            (.followersFull, 32101), (.selfMutualFull, 32102), (.theirMutualFull, 32103),
            (.addRestricted, 30540), (.refusedByHook, 38000),
        ]
        for (status, number) in codes { #expect(status.rawValue == number) }
        #expect(FollowStatus.schema.values.map(\.number).sorted() == codes.map(\.1).sorted())
    }

    @Test func anUnknownNumberSurvives() {
        let status = FriendStatus(rawValue: 12345)
        #expect(status.rawValue == 12345)
        #expect(!status.isKnown)
    }

    @Test func mirroredEnumsHaveTheNumbersOfTIM() {
        #expect(AllowType.allowAny.rawValue == 0)
        #expect(AllowType.needConfirm.rawValue == 1)
        #expect(AllowType.denyAny.rawValue == 2)
        #expect(FriendResponseType.agree.rawValue == 0)
        #expect(FriendResponseType.agreeAndAdd.rawValue == 1)
        #expect(FriendResponseType.reject.rawValue == 2)
        #expect(FriendRelation.none.rawValue == 0)
        #expect(FriendRelation.myUni.rawValue == 1)
        #expect(FriendRelation.otherUni.rawValue == 2)
        #expect(FriendRelation.bothWay.rawValue == 3)
        #expect(PendencyType.comeIn.rawValue == 1)
        #expect(PendencyType.sendOut.rawValue == 2)
        #expect(PendencyType.both.rawValue == 3)
        #expect(DeleteType.single.rawValue == 1)
        #expect(DeleteType.both.rawValue == 2)
        #expect(CheckType.unidirection.rawValue == 1)
        #expect(CheckType.bidirection.rawValue == 2)
    }

    @Test func limitsFitEachOther() {
        #expect(Limits.defaultPageRows <= Limits.maxPageRows)
        // A page ends after the row that passes its bound, and the largest row is far smaller.
        #expect(2 * Limits.pageBytes <= CodecLimits.maxMessageBytes)
        #expect(AppLimits.tim.wording.count <= AppLimits.maxWording.count)
        #expect(AppLimits.tim.groupName.count <= AppLimits.maxGroupName.count)
        // A name that a group may have is echoed whole.
        #expect(AppLimits.maxGroupName.count <= Limits.echoedBytes)
        // The largest request of identifiers fits into a message.
        #expect(Limits.checkFriendsItems * (Limits.userIDBytes + 2) < CodecLimits.maxMessageBytes)
    }

    @Test func thePageOfCallsIsWhatTheTablesSay() throws {
        let page = ContractFiles.root.appending(path: "proto/CALLS.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        // `call_sources.py` adds a table for each service, and `test_call_sources.py` checks it.
        let table = /\| call \| handler · rule \|\n\|---\|---\|\n(\|[^\n]*\n)+\n/
        #expect(text.replacing(table, with: "") == CallPage.markdown, "run make docs")
    }
}
