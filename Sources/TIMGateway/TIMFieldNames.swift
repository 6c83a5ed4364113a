/// The words of an error, with TIM's names of the fields in place of ours.
///
/// The calls behind a command name their own fields, which no caller of TIM's API has ever sent.
struct TIMFieldNames: Sendable {
    private let names: [String: String]

    /// - Parameters:
    ///   - service: The service of the command; nil if the target has none of ours.
    ///   - command: The command, such as `friend_add`.
    init(_ service: TIMService?, _ command: String) {
        var names = Self.common
        if service == .login {
            for name in ["user_id", "user_ids"] { names[name] = "UserID" }
            for name in ["row", "items"] { names[name] = "AccountList" }
        }
        names.merge(Self.own[command] ?? [:]) { _, own in own }
        self.names = names
    }

    /// Our words with TIM's names; what stands in double quotes is a value, and stays as it is.
    ///
    /// A name of ours for which TIM has none loses its low lines: `read_mask` is `ReadMask`.
    func translated(_ words: String) -> String {
        var text = ""
        var rest = Substring(words)
        var isValue = false
        // Whether a name may stand here that has no low line: at a begin, or in a path.
        var mayBegin = true
        var isNested = false
        while let first = rest.first {
            if !isValue, Self.isLetter(first) || Self.isDigit(first) || first == "_" {
                let word = rest.prefix { Self.isLetter($0) || Self.isDigit($0) || $0 == "_" }
                rest = rest.dropFirst(word.count)
                let isPath = mayBegin && rest.first.map { ":[.".contains($0) } == true
                text += translated(String(word), isPath: isPath, isNested: isNested)
                (mayBegin, isNested) = (false, false)
                continue
            }
            if first == "\"" { isValue.toggle() }
            // A name stands after another one, or after the end of a rule.
            let isDot = first == "." && rest.dropFirst().first.map(Self.isLetter) == true
            isNested = !isValue && isDot
            mayBegin = isNested || text.hasSuffix(";") && first == " "
            text.append(first)
            rest = rest.dropFirst()
        }
        return text
    }

    private func translated(_ word: String, isPath: Bool, isNested: Bool) -> String {
        let isOurs =
            word.first.map { $0.isLowercase } == true && !word.contains { $0.isUppercase }
        guard isOurs, isPath || word.contains("_") else { return word }
        if isNested, word == "user_id", names[word] == "From_Account" { return "To_Account" }
        return names[word] ?? (word.contains("_") ? Self.joined(word) : word)
    }

    private static func joined(_ word: String) -> String {
        word.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func isLetter(_ letter: Character) -> Bool {
        letter.isASCII && letter.isLetter
    }

    private static func isDigit(_ letter: Character) -> Bool { letter.isASCII && letter.isNumber }

    // MARK: The names

    private static let common: [String: String] = [
        "user_id": "From_Account", "user_ids": "To_Account", "friend_user_id": "To_Account",
        "page_token": "StartCursor", "page_size": "WantNum", "source": "AddSource",
        "remark": "Remark", "remark_time_ms": "RemarkTime", "wording": "AddWording",
        "add_time_ms": "AddTime", "group": "GroupName", "groups": "GroupName",
        "names": "GroupName", "name": "GroupName", "with_members": "NeedFriend",
        "add_type": "AddType", "delete_type": "DeleteType", "check_type": "CheckType",
        "force": "ForceAddFlags", "custom": "CustomItem", "key": "Tag", "tag": "Tag",
        "value": "Value", "nick": "Nick", "face_url": "FaceUrl", "items": "AddFriendItem",
        "row": "AddFriendItem", "tags": "ProfileItem", "read_mask": "TagList",
    ]

    /// The names that only one command has.
    private static let own: [String: [String: String]] = [
        "friend_get": ["page_token": "StartIndex", "page_size": "StartIndex"],
        "friend_update": ["items": "UpdateItem", "tags": "SnsItem"],
        "black_list_get": ["page_token": "StartIndex", "page_size": "MaxLimited"],
        "account_check": ["user_ids": "CheckItem"],
        "account_delete": ["user_ids": "DeleteItem"],
        "follow_add": ["user_ids": "FollowItem"],
    ]
}
