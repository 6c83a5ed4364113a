import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import RelationCalls
@testable import RelationService

@Suite struct ItemValidatorTests {
    private let duplicate = FriendOutcome(.invalidParameter, Reason.FriendAdd.duplicate)
    private let illegal = FriendOutcome(.invalidParameter, Reason.FriendAdd.remarkIllegal)

    /// The result of each item, in short: a value, a refusal's reason, or the index that it
    /// repeats.
    private func summary<Value>(_ items: [ValidatedItem<Value, FriendStatus>]) -> [String] {
        items.map { item in
            switch item {
            case .value(let value): "\(value)"
            case .refused(let outcome): outcome.reason.info.description
            case .same(let index): "=\(index)"
            }
        }
    }

    @Test func theSameTwiceIsOneAndSomethingElseIsRefused() {
        var validator = FriendItemValidator<String, Int>(duplicate: Reason.FriendAdd.duplicate)
        for (key, value) in [("a", 1), ("b", 1), ("a", 1), ("a", 2), ("b", 1), ("a", 1)] {
            validator.add(value, for: key)
        }
        let refused = duplicate.reason.info.description
        #expect(summary(validator.prepared) == ["1", "1", "=0", refused, "=1", "=0"])
    }

    @Test func refusedItemsKeepTheirPositions() {
        var validator = FriendItemValidator<String, Int>(duplicate: Reason.FriendAdd.duplicate)
        validator.refuse(illegal, for: "x")
        validator.add(7, for: "a")
        validator.refuse(illegal, for: "x")
        validator.add(7, for: "a")
        let refused = illegal.reason.info.description
        #expect(summary(validator.prepared) == [refused, "7", refused, "=1"])
    }

    @Test func anItemThatFollowsAMalformedOneOfItsKeyIsADuplicate() {
        var validator = FriendItemValidator<String, Int>(duplicate: Reason.FriendAdd.duplicate)
        validator.refuse(illegal, for: "a")
        validator.add(7, for: "a")
        let refused = illegal.reason.info.description
        #expect(summary(validator.prepared) == [refused, duplicate.reason.info.description])
    }

    @Test func idsThatAreRepeatedAreOneAndIllegalOnesAreNamedEach() {
        let items = ["a", "", "b", "a", " ", "b "].prepared(
            illegal: Reason.FriendDelete.userIDIllegal)
        let refused = Reason.FriendDelete.userIDIllegal.info.description
        #expect(summary(items) == ["a", refused, "b", "=0", refused, refused])
    }

    @Test func contentThatLooksAlikeIsOtherContent() {
        // Two spellings that Swift treats as equal.
        let spellings = ["caf\u{E9}", "cafe\u{301}"]
        var validator = FriendItemValidator<String, FriendItem>(
            duplicate: Reason.FriendAdd.duplicate)
        for remark in spellings + [spellings[0]] {
            var addition = FriendItem(user: "a")
            addition.values.remark = remark
            validator.add(addition, for: "a")
        }
        var changes = FriendItemValidator<String, FriendItem>(
            duplicate: Reason.FriendUpdate.duplicate)
        for group in spellings + [spellings[0]] {
            var change = FriendItem(user: "a")
            change.values.groups = [group]
            changes.add(change, for: "a")
        }
        let kinds = summary(validator.prepared).dropFirst() + summary(changes.prepared).dropFirst()
        #expect(
            Array(kinds) == [
                Reason.FriendAdd.duplicate.info.description, "=0",
                Reason.FriendUpdate.duplicate.info.description, "=0",
            ])
    }
}
