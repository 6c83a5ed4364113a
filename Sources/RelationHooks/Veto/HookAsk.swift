package import RelationModel

/// A question to an app's hook: a call that waits, with its items.
package struct HookAsk: Sendable, Equatable {
    /// One item of the call; UpdateProfile has one, for the user itself.
    package struct Item: Sendable, Equatable {
        package var userID: String
        /// The texts that the answer may change, by their names: `remark`, `wording` and custom
        /// values of an application, the fields of a profile or of a friend that the call writes.
        package var texts: [String: String] = [:]
        package var source = ""
        package var groups: [String] = []
        package var responseType: FriendResponseType?
        /// The paths of the fields that the item writes: those of a profile, in the order of the
        /// request, or those of a friend.
        package var fields: [String] = []

        package init(_ userID: String) {
            self.userID = userID
        }
    }

    package var question: HookQuestion
    /// The acting user.
    package var userID: String
    package var requestID = ""
    package var isDryRun = false
    /// Whether the call was made with the acting user's own credential.
    package var isOwn = false
    /// The administrator of TIM's REST API who made the call; empty without one.
    package var administrator = ""
    package var addType = AddType.unspecified
    package var isForced = false
    package var items: [Item]

    package init(_ question: HookQuestion, by userID: String, _ items: [Item]) {
        self.question = question
        self.userID = userID
        self.items = items
    }
}

/// An answer to a question that does not simply allow the call.
package struct HookVerdict: Sendable, Equatable {
    /// The refusal of an item.
    package struct Refusal: Sendable, Equatable {
        package var code: Int32
        /// The hook's own words; empty for those of the reason.
        package var info: String
        /// ``Reason/Hook/refused``, or ``Reason/Hook/silent``.
        package var reason: Reason

        package init(_ code: Int32, _ info: String, _ reason: Reason = Reason.Hook.refused) {
            self.code = code
            self.info = info
            self.reason = reason
        }
    }

    /// The refusal of all items.
    package var all: Refusal?
    /// The refusals of single items, by their index.
    package var items: [Int: Refusal] = [:]
    /// The texts that replace those of an item, by its index and their names.
    package var texts: [Int: [String: String]] = [:]

    package init() {}

    /// The refusal of the item at `index`; nil if it is allowed.
    package func refusal(_ index: Int) -> Refusal? { all ?? items[index] }

    /// The verdict of a hook that gave no answer, where that means a refusal.
    package static let silent: HookVerdict = {
        var verdict = HookVerdict()
        verdict.all = Refusal(Limits.hookCodes.lowerBound, "", Reason.Hook.silent)
        return verdict
    }()

    var isRefusal: Bool { all != nil || !items.isEmpty }
}
