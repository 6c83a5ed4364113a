/// The text of an API key, `APP.NAME.SECRET`.
struct KeyText {
    /// 0 for a key of an operator.
    let appID: UInt32
    /// The public part: the id of the credential.
    let name: String

    /// Reads the first two parts; nil if the text has no such parts.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, parts[0].utf8.count <= 10,
            parts[0].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let appID = UInt32(parts[0])
        else { return nil }
        self.appID = appID
        name = String(parts[1])
    }

    /// - Throws: ``Failure`` if the key is of another app than this one.
    func check(_ wanted: UInt32?) throws {
        guard appID != 0, let wanted, wanted != appID else { return }
        throw Failure(
            "the key is of app \(appID), and the call is for app \(wanted): use a key of app "
                + "\(wanted), or leave out the app", .notAllowed)
    }
}
