package import Memory
package import Protobuf
package import RelationAPI
package import RelationCore
import RelationModel

/// The answer of CheckFriends, put together from the ids of the request; see ``ResultTemplates``.
package enum CheckAnswer {
    /// Writes the finding about each of `names`.
    ///
    /// - Precondition: There are as many findings as names.
    /// - Throws: ``CodecError``: `outOfMemory`.
    package static func bytes(
        _ names: UnsafeBufferPointer<Text>, _ findings: UnsafeBufferPointer<FriendCheck.Finding>,
        _ arena: Arena
    ) throws(CodecError) -> Encoded<CheckFriendsResponseView> {
        precondition(names.count == findings.count, "each name has a finding")
        return try endings.bytes(names, arena) { findings[$0].number }
    }

    /// The answer for a handler, which throws no other errors than those of the store.
    static func fitting(
        _ names: UnsafeBufferPointer<Text>, _ findings: UnsafeBufferPointer<FriendCheck.Finding>,
        _ arena: Arena
    ) throws(StorageError) -> Encoded<CheckFriendsResponseView> {
        do throws(CodecError) {
            return try bytes(names, findings, arena)
        } catch {
            throw .answerIsFull
        }
    }

    private static let endings: ResultTemplates = {
        let findings = FriendCheck.Finding.allCases
        for (index, finding) in findings.enumerated() {
            precondition(finding.number == index, "findings are numbered from 0 on")
        }
        return ResultTemplates(CheckFriendsResponseView.schema, findings.map(ending))
    }()

    /// A result as a plain message, without its id.
    static func ending(_ finding: FriendCheck.Finding) -> CheckFriendResultView {
        var result = CheckFriendResultView()
        switch finding {
        case .malformed: result.set(.invalidParameter, Reason.FriendCheck.userIDIllegal)
        case .noAccount: result.set(.accountNotFound, Reason.FriendCheck.accountNotExist)
        case .none, .myUni, .otherUni, .bothWay: result.code = .success
        }
        result.relation = finding.relation
        return result
    }
}

extension FriendCheck.Finding {
    /// The position among all findings; the raw value would be a call to another room.
    @inline(__always) fileprivate var number: Int {
        switch self {
        case .malformed: ResultTemplates.malformed
        case .noAccount: 1
        case .none: 2
        case .myUni: 3
        case .otherUni: 4
        case .bothWay: 5
        }
    }
}

extension CheckFriendResultView: ResultMessage, OutcomeMessage {}
