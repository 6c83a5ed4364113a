public import Protobuf

/// Why one item has the outcome that it has: the `reason` of a result.
///
/// Several cases share a code, most of all 30001; the reason distinguishes them. Reasons that are
/// TIM's too are marked; the others are ours. An item that was done has no reason: ``none``.
///
/// Each call has a hundred numbers of its own and an enum in here, or shares them with others.
public struct Reason: OpenEnum, Scalar {
    /// The reason of an item that was done: nothing more is to be said of it.
    public static let none = Reason(rawValue: 0)

    /// ImportAccounts: the account was there before.
    public static let existed = Reason(rawValue: 1)

    public static let schema = EnumSchema(
        "relation.v1.Reason", table.joined().compactMap { $0 }.map { ($0.reason.rawValue, $0.name) }
    )

    public let rawValue: Int32

    @inlinable public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The reason in TIM's form, `Err_SNS_<Command>_<Reason>`: the `info` of a result.
    ///
    /// It is empty for ``none``, and for a number that the contract does not name.
    package var info: StaticString {
        let (group, index) = Int(rawValue).quotientAndRemainder(dividingBy: Self.groupSize)
        guard rawValue > 0, group < Self.table.count, index < Self.table[group].count
        else { return "" }
        return Self.table[group][index]?.info ?? ""
    }

    /// The contract's words about each reason but ``none``, in the order of the numbers.
    package static let entries = Array(table.joined().compactMap { $0 }.dropFirst())
}

extension Reason {
    /// `.none`, or the name of the contract: a reason of a call stands in an enum of its own.
    public var description: String {
        switch self {
        case .none: ".none"
        case .existed: ".existed"
        default: name ?? "Reason(rawValue: \(rawValue))"
        }
    }
}

extension Reason {
    /// The contract's words about one reason.
    ///
    /// The comment in `reason.proto` has the same words, and a test compares them.
    package struct Entry: Sendable {
        package let reason: Reason
        /// The `info` that stands beside the reason in a result.
        package let info: StaticString
        /// The calls that send it, with a comma between two.
        package fileprivate(set) var calls: String
        /// The numbers of the codes that it comes with.
        package let codes: String
        /// The meaning.
        package let meaning: String
        /// The step that a caller takes.
        package let advice: String
        /// Whether `info` is one of TIM's own.
        package let isTIMs: Bool

        /// - Parameter calls: Given if they are not those of the other reasons of its table.
        init(
            _ reason: Reason, _ info: StaticString, _ codes: String, _ meaning: Words,
            _ advice: Words, calls: String = "", isTIMs: Bool = false
        ) {
            self.reason = reason
            self.info = info
            self.calls = calls
            self.codes = codes
            self.meaning = meaning.text
            self.advice = advice.text
            self.isTIMs = isTIMs
        }

        /// The name in the contract: `info` without `Err_`, in capitals, with underscores between
        /// its words.
        var name: String {
            if reason == .none { return "REASON_UNSPECIFIED" }
            let text = info.description
            var name = "REASON_"
            var previous: Character = "_"
            for letter in text.hasPrefix("Err_") ? text.dropFirst(4) : text[...] {
                if letter.isUppercase, previous.isLowercase { name.append("_") }
                name += letter.uppercased()
                previous = letter
            }
            return name
        }
    }

    /// The numbers of one call.
    private static let groupSize = 100

    /// The reasons of each group of numbers, each at the index that its number names; nil for a
    /// number between two that no reason has.
    private static let table: [[Entry?]] = {
        let groups = [
            [
                Entry(none, "", "", "", ""),
                Entry(
                    existed, "existed", "0",
                    "this is not a refusal: the account was there before, and stays as it is.",
                    "Nothing is left to do.", calls: "ImportAccounts"),
            ],
            FriendAdd.entries,
            FriendResponse.entries,
            PendencyDelete.entries,
            ApplicationWithdraw.entries,
            FriendDelete.entries,
            FriendCheck.entries,
            FriendGetList.entries,
            FriendUpdate.entries,
            RelationGet.entries,
            FriendMutual.entries,
            FriendImport.entries,
            BlacklistAdd.entries,
            BlacklistDelete.entries,
            BlacklistCheck.entries,
            SendCheck.entries,
            GroupAdd.entries,
            GroupUpdate.entries,
            AccountImport.entries,
            AccountCheck.entries,
            AccountDelete.entries,
            CustomField.entries,
            ProfileGet.entries,
            ProfileSet.entries,
            ProfileFind.entries,
            ConsentGrant.entries,
            ConsentDecline.entries,
            ConsentRevoke.entries,
            ConsentDefine.entries,
            Subscribe.entries,
            Unsubscribe.entries,
            SubscriptionQuery.entries,
            PresenceReport.entries,
            PresenceGet.entries,
            AppImport.entries,
            FollowAdd.entries,
            FollowDelete.entries,
            FollowCheck.entries,
            FriendMutualCount.entries,
            InvitationAccept.entries,
            InvitationCreate.entries,
            InvitationGet.entries,
            SessionRevoke.entries,
            SuggestionDismiss.entries,
            StatusSet.entries,
            VisibilitySet.entries,
            ContactSet.entries,
            ContactFind.entries,
            AccountSuspend.entries,
            Suspended.entries + EventExplain.entries + ProfileUpdateExplain.entries
                + ChangeUndo.entriesOfFollows,
            UserReport.entries,
            ReportResolve.entries,
            Hook.entries,
            ReviewDecide.entries,
            ChangeUndo.entries,
            ListImport.entries,
        ]
        // Numbers between two groups are kept for other calls.
        var table: [[Entry?]] = []
        for entries in groups {
            let group = Int(entries[0].reason.rawValue) / groupSize
            while table.count < group { table.append([]) }
            // Two tables may share the numbers of one group: the second one has the higher ones.
            var row = table.count > group ? table.removeLast() : []
            for entry in entries {
                let index = Int(entry.reason.rawValue) - group * groupSize
                precondition(
                    (row.count..<groupSize).contains(index), "\(entry.info) is not at its place")
                while row.count < index { row.append(nil) }
                row.append(entry)
            }
            precondition(table.count == group, "the numbers of \(group) stand too late")
            table.append(row)
        }
        return table
    }()
}

extension [Reason.Entry] {
    /// The table of reasons that `calls` send, if an entry does not say otherwise.
    func sent(by calls: String) -> [Reason.Entry] {
        map { entry in
            var entry = entry
            if entry.calls.isEmpty { entry.calls = calls }
            return entry
        }
    }
}
