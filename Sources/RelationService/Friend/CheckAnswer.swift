package import Protobuf
package import RelationAPI
import RelationCalls
package import RelationCore
import RelationModel

/// The answer of CheckFriends, put together from the ids of the request.
///
/// A result is an id and one of a few endings, which the codec has encoded once for all. The bytes
/// are those that the codec makes of ``CheckFriendsResponseView``; a test compares the two.
package enum CheckAnswer {
    /// Tells the finding about each of `names`.
    ///
    /// - Precondition: There are as many findings as names.
    /// - Throws: ``CodecError``: `outOfMemory`.
    package static func bytes(
        _ names: UnsafeBufferPointer<Text>, _ findings: UnsafeBufferPointer<FriendCheck.Finding>,
        _ arena: Arena
    ) throws(CodecError) -> Encoded<CheckFriendsResponseView> {
        precondition(names.count == findings.count, "each name has a finding")
        let parts = CheckParts.shared
        var room = names.count * (2 * Splice.prefixBytes + parts.longestEnding)
        for name in names { room += name.count }
        var splice = try Splice(room: room, in: arena)
        let (results, userID, endings) = (parts.results, parts.userID, parts.endings)
        for index in names.indices {
            var name = names[index]
            let ending = endings[findings[index].number]
            // Only a malformed id is longer than an answer repeats.
            if case .malformed = findings[index] { name = name.echoed() }
            // The codec leaves out an empty id.
            let idBytes = name.isEmpty ? 0 : userID.size(of: name.count)
            splice.appendHead(of: results, count: idBytes &+ ending.count)
            if !name.isEmpty { splice.append(userID, short: name) }
            splice.append(short: ending)
        }
        return splice.finished()
    }

    /// A result as a plain message, without its id.
    static func ending(_ finding: FriendCheck.Finding) -> CheckFriendResultView {
        var result = CheckFriendResultView()
        switch finding {
        case .malformed: result.take(.invalidParameter, Reason.FriendCheck.userIDIllegal)
        case .stranger: result.take(.accountNotFound, Reason.FriendCheck.accountNotExist)
        case .none, .myUni, .otherUni, .bothWay: result.code = .success
        }
        result.relation = finding.relation
        return result
    }
}

/// The parts of the answers that are the same in all of them.
///
/// `@unchecked Sendable`: the memory behind the pointers is written while the object is made, and
/// never changed or freed afterwards.
private final class CheckParts: @unchecked Sendable {
    static let shared = CheckParts()

    let results = SplicedField(CheckFriendsResponseView.schema, "results")
    let userID = SplicedField(CheckFriendResultView.schema, "user_id")
    /// For each finding the fields behind the id.
    let endings: UnsafeBufferPointer<UnsafeRawBufferPointer>
    let longestEnding: Int

    private init() {
        let findings = FriendCheck.Finding.allCases
        let endings = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(
            capacity: findings.count)
        var longest = 0
        for (index, finding) in findings.enumerated() {
            precondition(finding.number == index, "findings are numbered from 0 on")
            let bytes = Encoding.of(CheckAnswer.ending(finding))
            let ending = UnsafeMutableRawBufferPointer.allocate(
                byteCount: bytes.count, alignment: 1)
            ending.copyBytes(from: bytes)
            endings.initializeElement(at: index, to: UnsafeRawBufferPointer(ending))
            longest = max(longest, bytes.count)
        }
        self.endings = UnsafeBufferPointer(endings)
        longestEnding = longest
    }
}

extension FriendCheck.Finding {
    /// The position among all findings; the raw value would be a call to another room.
    @inline(__always) fileprivate var number: Int {
        switch self {
        case .malformed: 0
        case .stranger: 1
        case .none: 2
        case .myUni: 3
        case .otherUni: 4
        case .bothWay: 5
        }
    }
}

extension CheckFriendResultView: OutcomeMessage {}
