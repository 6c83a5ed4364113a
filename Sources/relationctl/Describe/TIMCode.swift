import Protobuf

/// A code of TIM's server or of its client, beside what this service answers then.
///
/// An item of the contract may have the same number: then both are explained.
struct TIMCode {
    /// The codes: one, or those that a webhook of an app may choose.
    let numbers: ClosedRange<Int>
    /// When TIM answers it.
    let there: PlainText
    /// The counterpart: how this service answers then.
    let here: PlainText
    /// The texts that TIM has been seen to send with it.
    let infos: [String]

    init(_ number: Int, _ there: PlainText, _ here: PlainText, _ infos: [String] = []) {
        self.init(number...number, there, here, infos)
    }

    init(
        _ numbers: ClosedRange<Int>, _ there: PlainText, _ here: PlainText, _ infos: [String] = []
    ) {
        self.numbers = numbers
        self.there = there
        self.here = here
        self.infos = infos
    }

    /// The codes of a number, or of a text that TIM sends with them, in any case.
    static func found(_ text: String) -> [TIMCode] {
        let wanted = NearNames.plain(text)
        return all.filter { code in
            if let number = Int(text), code.numbers.contains(number) { return true }
            return code.infos.contains { NearNames.plain($0) == wanted }
        }
    }

    var text: PlainText {
        let (first, last) = (numbers.lowerBound, numbers.upperBound)
        let name = first == last ? "\(first)" : "\(first) to \(last)"
        let heading = Paint.heading("\(name), of TIM")
        return "\(heading)\n  there: \(there)\n  here: \(here)\n"
    }

    /// The code for programs.
    var data: JSONValue {
        .object([
            ("kind", .string("tim")), ("number", .whole(numbers.lowerBound)),
            ("lastNumber", .whole(numbers.upperBound)), ("there", .string("\(there)")),
            ("here", .string("\(here)")), ("infos", .array(infos.map { .string($0) })),
        ])
    }

    static let all = friends + profiles + messages + gateway + accounts + presence

    // MARK: Texts of many codes

    private static let internalError: PlainText = "the gRPC status INTERNAL or UNAVAILABLE"
    private static let timeout: PlainText = "the gRPC status DEADLINE_EXCEEDED"
    private static let invalid: PlainText =
        "INVALID_ARGUMENT, reason INVALID_FIELD, with the field and its rule"
    private static let unauthenticated: PlainText =
        "UNAUTHENTICATED, reason CREDENTIAL_INVALID"
    private static let throttled: PlainText = "reason THROTTLED, with the time to wait"
    private static let administrator: PlainText = "reason SCOPE_MISSING: the call needs admin"
    private static let same: PlainText = "the same code, for the same case"

    // MARK: Friends, follows and groups

    private static let friends: [TIMCode] = [
        TIMCode(
            30_001,
            "a parameter is wrong, or the state forbids the change; the text says which",
            "the same code in results, with a reason; INVALID_ARGUMENT for the call as a whole"),
        TIMCode(
            30_002,
            "the SDKAppID does not fit the user",
            "never: an id of another app is unknown, 30003",
            [
                "Err_SNS_FriendAdd_SdkAppId_Illegal", "Err_SNS_FriendImport_SdkAppId_Illegal",
                "Err_SNS_BlackListAdd_SdkAppId_Illegal",
            ]),
        TIMCode(
            30_003,
            "the account does not exist",
            "the same code in results; reason USER_NOT_FOUND for the acting user"),
        TIMCode(
            30_004,
            "only an administrator may do this, as for another user than oneself",
            "\(administrator); the same code for an item"),
        TIMCode(
            30_005,
            "a text has a forbidden word; for follows, the feature is switched off",
            "the same code for a forbidden word; follows are always on"),
        TIMCode(
            30_006,
            "a fault of the server",
            internalError,
            ["Err_SNS_FriendAdd_Unpack_Profile_Data_Fail"]),
        TIMCode(
            30_007,
            "the server took too long",
            timeout,
            [
                "Err_SNS_FriendCheck_Check_Relation_Exec_Task_Fail",
                "Err_SNS_BlackListCheck_Check_Reverse_BlackList_Fail",
            ]),
        TIMCode(
            30_008,
            "another write of the same user came between",
            "writes wait for each other; reason CONFLICT is rare"),
        TIMCode(
            30_009,
            "the profile bars the user from sending applications",
            "the same code, reason Err_SNS_FriendAdd_Admin_Forbid"),
        TIMCode(
            30_010,
            "the user's own list of friends is full",
            same,
            ["Err_SNS_FriendImport_My_Friend_Num_Exceed_Threshold"]),
        TIMCode(
            30_011,
            "the user has as many groups as it may have",
            same,
            ["Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold"]),
        TIMCode(30_012, "as many applications wait as may wait", same),
        TIMCode(30_013, "the blacklist is full", same),
        TIMCode(30_014, "the other user's list of friends is full", same),
        TIMCode(30_515, "the user has the other one on its blacklist", same),
        TIMCode(
            30_516,
            "the other user lets no one add it",
            same,
            ["Err_SNS_FriendAdd_Friend_Allow_Type_Forbid"]),
        TIMCode(30_519, "in old Windows clients: the user's own list of friends is full", "30010"),
        TIMCode(
            30_520,
            "in old Windows clients: the two are friends already",
            "30001, reason Err_SNS_FriendAdd_Friend_Exist"),
        TIMCode(30_525, "the other user has this one on its blacklist", same),
        TIMCode(30_539, "an application was made, and waits for the other user's consent", same),
        TIMCode(
            30_540,
            "the user adds others too often",
            "the same code, for the limits against abuse"),
        TIMCode(
            30_614,
            "the other user has no application that waits",
            same,
            ["Err_SNS_FriendResponse_Pendency_Not_Exist"]),
        TIMCode(
            30_615,
            "in old Windows clients: a consent, and the user's own list is full",
            "30010"),
        TIMCode(
            30_617,
            "in old Windows clients: a consent, and the two are friends already",
            "0: the consent is done"),
        TIMCode(
            30_630,
            "in old Windows clients: a consent, and the other user's list is full",
            "30014"),
        TIMCode(
            31_307,
            "the client's code for one that is on the blacklist already; the server has 30001",
            same),
        TIMCode(
            31_503,
            "the client's code for one that is not on the blacklist; the server has 30001",
            same),
        TIMCode(31_704, "the user to delete is not a friend", same),
        TIMCode(
            31_707,
            "friends are deleted too often",
            "never: deletions have no limit of their own; the rate of calls is reason THROTTLED"),
        TIMCode(31_804, "the account does not exist: a second code for it", "30003"),
        TIMCode(32_100, "the user follows as many as it may", same),
        TIMCode(32_101, "the other user has as many followers as it may have", same),
        TIMCode(32_102, "the user has as many mutual follows as it may have", same),
        TIMCode(32_103, "the other user has as many mutual follows as it may have", same),
        TIMCode(
            32_207,
            "a group is made, and the app of a user could not be read",
            "never: there is no such lookup"),
        TIMCode(
            32_216,
            "a group is made with a user that is not a friend",
            same,
            ["Err_SNS_GroupAdd_ToTinyId_Not_Friend"]),
        TIMCode(
            32_511,
            "a group is changed, and the app of a user could not be read",
            "never: there is no such lookup"),
        TIMCode(32_518, "a user that is not a friend is put into a group", same),
        TIMCode(32_519, "a user is put into a group that it is in already", same),
        TIMCode(32_520, "a user is taken out of a group that it is not in", same),
        TIMCode(
            32_521,
            "in old Windows clients: a friend is in as many groups as it may be",
            "30011"),
        TIMCode(
            38_000...39_000,
            "a webhook of the app refused it, with a code that the app chose",
            "the code of the app's hook, which is 38000 if it chose none"),
    ]

    // MARK: Profiles

    private static let profiles: [TIMCode] = [
        TIMCode(
            40_001,
            "a parameter is wrong, as in a body that cannot be decoded",
            "the same code in results; INVALID_ARGUMENT for the call as a whole",
            ["Err_Profile_Comm_Decode_Fail"]),
        TIMCode(40_002, "a read names no account", "INVALID_ARGUMENT, reason INVALID_FIELD"),
        TIMCode(
            40_003,
            "the account does not exist",
            "the same code in results; reason USER_NOT_FOUND for the acting user"),
        TIMCode(40_004, "only an administrator may do this", administrator),
        TIMCode(40_005, "a text has a forbidden word", same),
        TIMCode(
            40_006,
            "a fault of the server",
            internalError,
            ["Err_Profile_PortraitGet_Read_Custom_Data_Fail"]),
        TIMCode(
            40_007,
            "a field may not be read by this caller",
            "never in a read: the field is left out, and field_access says why, such as HIDDEN"),
        TIMCode(40_008, "a field may not be written by this caller", same),
        TIMCode(40_009, "there is no such tag", same),
        TIMCode(
            40_601,
            "a value is longer than 500 bytes",
            "the same code, for each field's own length"),
        TIMCode(40_605, "a standard field has a value that it may not have", same),
        TIMCode(40_610, "a value has the wrong type", same),
    ]

    // MARK: The client, and messages

    private static let messages: [TIMCode] = [
        TIMCode(
            6014,
            "in the client: no user is signed in",
            "UNAUTHENTICATED, reason CREDENTIAL_MISSING"),
        TIMCode(6017, "in the client: a parameter is wrong", invalid),
        TIMCode(
            7003,
            "in the client: a user id is malformed",
            "30001 in results; reason INVALID_FIELD for the acting user"),
        TIMCode(
            20_007,
            "the receiver has the sender on its blacklist",
            "the same code, of CanSend"),
        TIMCode(
            20_009,
            "neither user has the other as a friend, and the app asks for it",
            "the same code, of CanSend"),
        TIMCode(
            20_010,
            "the receiver's list does not have the sender, and the app asks for it",
            "the same code, of CanSend"),
        TIMCode(
            20_011,
            "the sender's list does not have the receiver, and the app asks for it",
            "the same code, of CanSend"),
    ]

    // MARK: The gateway

    private static let gateway: [TIMCode] = [
        TIMCode(60_002, "the URL cannot be read", "INVALID_ARGUMENT, or HTTP 400"),
        TIMCode(
            60_003,
            "the body is not JSON",
            "INVALID_ARGUMENT, with the byte at which it ends to be JSON"),
        TIMCode(60_004, "the account could not be checked", unauthenticated),
        TIMCode(60_005, "the account could not be checked", unauthenticated),
        TIMCode(60_006, "the SDKAppID is not valid", "reason APP_NOT_FOUND"),
        TIMCode(
            60_007,
            "a command comes too often",
            "\(throttled); reason OVERLOADED for the server as a whole"),
        TIMCode(
            60_008,
            "the server behind took too long, or did not answer",
            "the gRPC status UNAVAILABLE or DEADLINE_EXCEEDED"),
        TIMCode(60_009, "there is no such command", "the gRPC status UNIMPLEMENTED, HTTP 404"),
        TIMCode(60_010, "the identifier is not an administrator", administrator),
        TIMCode(60_011, "the app calls too often", throttled),
        TIMCode(
            60_012,
            "the URL has no sdkappid",
            "INVALID_ARGUMENT, reason INVALID_FIELD: x-app-id must name the app"),
        TIMCode(60_013, "the server behind answered no JSON", "the gRPC status INTERNAL"),
        TIMCode(60_014, "the check of the account took too long", "the gRPC status UNAVAILABLE"),
        TIMCode(
            60_015,
            "the UserID is not a string",
            "INVALID_ARGUMENT, with the path of the field"),
        TIMCode(60_016, "the app is switched off", "reason APP_NOT_FOUND, or APP_BEING_DELETED"),
        TIMCode(
            60_017,
            "the request is switched off",
            "TIM's REST API is switched off in the app: 60017 there too"),
        TIMCode(60_018, "calls come too often", throttled),
        TIMCode(60_019, "calls come too often", throttled),
        TIMCode(60_020, "the package has expired, or was not paid", "never: there are no packages"),
        TIMCode(
            60_021,
            "the caller's address is not allowed",
            "never: addresses are the work of a proxy before the server"),
        TIMCode(
            60_025,
            "a parameter of the URL is wrong, such as identifier, usersig or contenttype",
            "INVALID_ARGUMENT, or UNAUTHENTICATED for the credential"),
        TIMCode(
            60_026,
            "the host is that of another data centre",
            "reason APP_NOT_FOUND: a server knows its own apps"),
        TIMCode(60_027, "the product does not have this command", "never: there are no packages"),
        TIMCode(
            60_028,
            "the trial has used up its calls of 24 hours",
            "never: there are no packages; the rate of calls is reason THROTTLED"),
        TIMCode(
            80_001,
            "a message has a forbidden text",
            "30005 or 40005, of a name or a text; there are no messages here"),
        TIMCode(
            80_002,
            "a message is longer than 12 KiB",
            "RESOURCE_EXHAUSTED, for a request that is too long; there are no messages here"),
    ]

    // MARK: Signatures and accounts

    private static let accounts: [TIMCode] = [
        TIMCode(70_001, "the UserSig has expired", "reason CREDENTIAL_EXPIRED: make another"),
        TIMCode(70_002, "the UserSig is empty or malformed, in older tables", unauthenticated),
        TIMCode(70_003, "the UserSig is malformed", unauthenticated),
        TIMCode(70_005...70_008, "the UserSig is malformed, in older tables", unauthenticated),
        TIMCode(70_009, "the UserSig was made with another key", unauthenticated),
        TIMCode(
            70_013,
            "the UserSig is of another identifier",
            "\(unauthenticated); reason FOREIGN_USER for a call as another user"),
        TIMCode(70_014, "the UserSig is of another SDKAppID", unauthenticated),
        TIMCode(70_016, "the app has no key to check the UserSig", unauthenticated),
        TIMCode(70_020, "there is no app of that SDKAppID", "reason APP_NOT_FOUND"),
        TIMCode(
            70_050,
            "too many checks of the UserSig failed: wait a minute",
            "never: a failed check makes no one wait; it is UNAUTHENTICATED"),
        TIMCode(70_051, "the account is blocked", "PERMISSION_DENIED, reason ACCOUNT_SUSPENDED"),
        TIMCode(
            70_107,
            "the account was not imported",
            "reason USER_NOT_FOUND, 30003 or 40003 of an item: import it first",
            ["Err_TLS_PT_Open_Login_Account_Not_Exist"]),
        TIMCode(70_169, "the server took too long", timeout),
        TIMCode(70_202, "the server took too long", timeout),
        TIMCode(70_398, "the app has too many accounts", "never: accounts have no limit"),
        TIMCode(
            70_399,
            "a deleted account comes back within 3 months",
            "30001, reason Err_Account_Import_Deletion_Running, until its deletion is done"),
        TIMCode(70_402, "a parameter is wrong", invalid),
        TIMCode(70_403, "only an administrator may do this", administrator),
        TIMCode(70_404, "the SDK is too old", "never: each version of the contract is served"),
        TIMCode(70_500, "a fault of the server", internalError),
        TIMCode(71_000, "the app may not delete accounts", administrator),
        TIMCode(
            72_001,
            "the app has not switched on subscriptions to presence",
            "never: they are always on"),
        TIMCode(
            72_012,
            "the app has not switched on subscriptions to profiles",
            "never: they are always on"),
    ]

    // MARK: Presence

    private static let presence: [TIMCode] = [
        TIMCode(
            90_001,
            "the body is not JSON, or names no user",
            "INVALID_ARGUMENT; for no user with reason INVALID_FIELD"),
        TIMCode(
            90_003,
            "To_Account is not a list of strings",
            "INVALID_ARGUMENT, with the path of the field"),
        TIMCode(90_009, "only an administrator may do this", administrator),
        TIMCode(
            90_011,
            "the request names more than 500 users",
            "INVALID_ARGUMENT, reason TOO_MANY_ITEMS"),
        TIMCode(90_992, "a fault of the server", internalError),
        TIMCode(90_994, "a fault of the server", internalError),
        TIMCode(90_995, "a fault of the server", internalError),
        TIMCode(91_000, "a fault of the server", internalError),
    ]
}
