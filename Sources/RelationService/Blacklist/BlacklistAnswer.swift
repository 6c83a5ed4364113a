import Protobuf
import RelationAPI
import RelationCore
import RelationModel

/// The endings of the results of CheckBlacklist.
enum BlacklistAnswer {
    static let endings: ResultTemplates = {
        var plain = [CheckBlacklistResultView(), CheckBlacklistResultView()]
        plain[ResultTemplates.malformed]
            .set(.invalidParameter, Reason.BlacklistCheck.userIDIllegal)
        plain[1].set(.accountNotFound, Reason.BlacklistCheck.accountNotExist)
        for relation in [BlacklistRelation.none, .aWithB, .bWithA, .bothWay] {
            precondition(number(.found, relation) == plain.count, "endings are in their order")
            var result = CheckBlacklistResultView()
            result.set(.success)
            result.relation = relation
            plain.append(result)
        }
        return ResultTemplates(CheckBlacklistResponseView.schema, plain)
    }()

    @inline(__always)
    static func number(_ state: KnownPairs.UserState, _ relation: BlacklistRelation) -> Int {
        switch state {
        case .malformed: ResultTemplates.malformed
        case .noAccount, .open: 1
        case .found: 2 + Int(relation.rawValue)
        }
    }
}

extension CheckBlacklistResultView: ResultMessage, OutcomeMessage {}
