import ArgumentParser
import Migrations
import RelationModel
import TextFiles

/// The options for a TIM app that is read.
struct TIMSource: ParsableArguments {
    @Option(help: "The host of the REST API, as TIM names it for the data centre of the app.")
    var host = "https://console.tim.qq.com"

    @Option(help: "The app's SDKAppID.")
    var sdkAppID: UInt32

    @Option(help: "The administrator of the app as whom calls are made.")
    var administrator = "administrator"

    @Option(
        help: "A file with the app's SecretKey, with which a signature is made.",
        completion: .file())
    var secretFile: String?

    @Option(
        help: "A file with a UserSig of the administrator, instead of the SecretKey.",
        completion: .file())
    var userSigFile: String?

    @Option(help: "The file of the accounts' user ids.", completion: .file())
    var accounts: String

    @Option(help: "The column of the user ids, if the file of accounts is a csv.")
    var column: String?

    @Option(
        help: "A file of the app's custom fields: a CustomField in JSON a line.",
        completion: .file())
    var customFields: String?

    @Option(help: "The most calls a second.")
    var rate = 200

    @Flag(help: "Read whom users follow too: only some TIM apps may.")
    var follows = false

    @Flag(help: "Leave out the wordings of applications and the times of remarks: fewer calls.")
    var noWordings = false

    func validate() throws {
        guard (secretFile == nil) != (userSigFile == nil) else {
            throw ValidationError("either --secret-file or --user-sig-file must be given")
        }
        guard sdkAppID > 0 else {
            throw ValidationError("--sdk-app-id takes the number of an app, from 1 on")
        }
        guard UserID(administrator) != nil else {
            throw ValidationError("--administrator takes a user id, of printable ASCII")
        }
        try HostOption.origin("--host", host)
        guard (1...Limits.migrationRate).contains(rate) else {
            throw ValidationError("--rate takes 1 to \(Limits.migrationRate)")
        }
    }

    /// The files that the options name.
    var files: [NamedFile?] {
        [
            NamedFile("--accounts", accounts), NamedFile("--custom-fields", customFields),
            NamedFile("--secret-file", secretFile), NamedFile("--user-sig-file", userSigFile),
        ]
    }

    /// The users in the order of their bytes, each once.
    func users() throws -> [String] {
        try MigratedAccounts.users(accounts, column: column)
    }

    /// The app's SecretKey; nil without a file of it.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, or has a text that no app here takes.
    func secret() throws -> String? {
        guard let secretFile else { return nil }
        let secret = try LineFile.text(secretFile)
        guard AppSecretText.isOne(secret) else {
            throw Failure("\(secretFile): the SecretKey \(AppSecretText.rule)")
        }
        return secret
    }

    /// The kinds that the options leave out.
    var unread: UnreadKinds {
        UnreadKinds(Set((follows ? [] : ["follow"]) + (noWordings ? ["wording"] : [])))
    }

    /// A reader of the app.
    ///
    /// - Parameters:
    ///   - calls: The calls of another app; nil makes those of this one.
    ///   - isStrict: Whether values that only TIM keeps are left out.
    ///   - accounts: The users of the file; nil knows all.
    ///   - now: The present time, in milliseconds, at which a signature is made.
    ///   - time: The time that accounts get; nil stands for the present one.
    func reader(
        _ fields: CustomFields, _ calls: TIMRequests? = nil, isStrict: Bool = false,
        among accounts: KnownUsers? = nil, at now: Int64, time: Int64? = nil
    ) throws -> TIMReader {
        TIMReader(
            try calls ?? self.calls(at: now), fields, readsFollows: follows,
            readsWordings: !noWordings, isStrict: isStrict, among: accounts,
            timeMs: time ?? now)
    }

    private func calls(at now: Int64) throws -> TIMRequests {
        let signature = try secret().map {
            try TIMSignature.text(
                app: sdkAppID, user: administrator, secret: $0, at: now / 1_000)
        }
        let access = TIMRequests.Access(
            try HostOption.origin("--host", host), app: sdkAppID, administrator: administrator,
            signature: try signature ?? LineFile.text(userSigFile ?? ""))
        return try TIMRequests(access, rate: rate)
    }
}
