/// A code of TIM's server that no code of an item stands for here.
struct TIMCode {
    let number: Int
    /// When TIM answers it.
    let there: PlainText
    /// The counterpart: how this service answers then.
    let here: PlainText

    init(_ number: Int, _ there: PlainText, _ here: PlainText) {
        self.number = number
        self.there = there
        self.here = here
    }

    var text: PlainText {
        "\(Paint.heading("\(number), of TIM"))\n  there: \(there)\n  here: \(here)\n"
    }

    static let all: [TIMCode] = [
        TIMCode(
            30_002, "the SDKAppID does not fit the user", "an id of another app is unknown: 30003"),
        TIMCode(30_006, "a fault of the server", internalError),
        TIMCode(30_007, "the server took too long", timeout),
        TIMCode(
            30_008, "another write came between", "writes wait for each other; CONFLICT is rare"),
        TIMCode(31_707, "too many friends in a deletion", "deletions have no limit of their own"),
        TIMCode(40_006, "a fault of the server", internalError),
        TIMCode(40_007, "a field may not be read", "it is left out, and named in field_access"),
        TIMCode(60_002, "the URL cannot be read", invalid),
        TIMCode(60_003, "the body is no JSON", invalid),
        TIMCode(60_004, "the account could not be checked", unauthenticated),
        TIMCode(60_005, "the account could not be checked", unauthenticated),
        TIMCode(60_006, "the SDKAppID is not valid", "reason APP_NOT_FOUND"),
        TIMCode(60_007, "a command comes too often", throttled),
        TIMCode(60_008, "the server behind takes no calls now", "the gRPC status UNAVAILABLE"),
        TIMCode(60_009, "there is no such command", "the gRPC status UNIMPLEMENTED, HTTP 404"),
        TIMCode(60_010, "the identifier is no administrator", "reason SCOPE_MISSING"),
        TIMCode(60_011, "the app calls too often", throttled),
        TIMCode(60_012, "the URL has no sdkappid", "reason APP_NOT_FOUND"),
        TIMCode(60_015, "the UserID is not a string", invalid),
        TIMCode(60_016, "the app is switched off", "reason APP_NOT_FOUND"),
        TIMCode(60_017, "the request is switched off", "the app has TIM's REST API switched off"),
        TIMCode(60_018, "calls come too often", throttled),
        TIMCode(60_019, "calls come too often", throttled),
        TIMCode(60_025, "a parameter of the URL is wrong", invalid),
        TIMCode(70_001, "the UserSig has expired", "reason CREDENTIAL_EXPIRED: make another"),
        TIMCode(70_003, "the UserSig is malformed", unauthenticated),
        TIMCode(70_009, "the UserSig was made with another key", unauthenticated),
        TIMCode(70_013, "the UserSig is of another identifier", unauthenticated),
        TIMCode(70_014, "the UserSig is of another SDKAppID", unauthenticated),
        TIMCode(70_020, "there is no app of that SDKAppID", "reason APP_NOT_FOUND"),
        TIMCode(70_107, "the account was not imported", "reason USER_NOT_FOUND: import it first"),
        TIMCode(70_169, "the server took too long", timeout),
        TIMCode(70_398, "the app has too many accounts", "accounts have no limit"),
        TIMCode(70_399, "a deleted account comes back early", "it may, once its deletion is done"),
        TIMCode(70_402, "a parameter is wrong", invalid),
        TIMCode(70_403, "only an administrator may do this", "reason SCOPE_MISSING"),
        TIMCode(70_500, "a fault of the server", internalError),
    ]

    private static let internalError: PlainText = "the gRPC status INTERNAL or UNAVAILABLE"
    private static let timeout: PlainText = "the gRPC status DEADLINE_EXCEEDED"
    private static let invalid: PlainText = "INVALID_ARGUMENT, with the field and its rule"
    private static let unauthenticated: PlainText = "the gRPC status UNAUTHENTICATED"
    private static let throttled: PlainText = "reason THROTTLED, with the time to wait"
}
