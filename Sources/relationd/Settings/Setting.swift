import GRPC
import GRPCClient
import Invocation
import Traces

/// One setting of the server: all that is said of it anywhere.
///
/// ``Setting/all`` is the table. Flags, variables, keys of the file and the page of settings come
/// from it.
struct Setting: Sendable {
    /// Which texts are values.
    enum Kind: Sendable {
        case number(ClosedRange<Int>)
        case yesOrNo
        case choice([String])
        case address
        /// The mode of a file, in octal digits.
        case mode
        /// An address with a port, or the word off.
        case addressOrOff
        case path
        /// The address of a store.
        case store
        /// Addresses of databases, with blanks between them.
        case databases
        /// The URL of a collector, or the word off.
        case collectorOrOff
        /// Which calls are traced.
        case sampling
        /// A name of printable characters.
        case name
        /// Origins of pages, with commas between them.
        case origins
        /// Names of hosts, with commas between them.
        case hosts
        /// Text of one line that no message, log or list repeats.
        case secret
        /// A secret in PEM, which has several lines.
        case secretPEM
    }

    /// The value if no source gives one.
    enum Usual: Sendable {
        case value(String)
        /// Nothing, and the words for what that means.
        case nothing(String)
    }

    /// The sources that may give it.
    struct Sources: OptionSet, Sendable {
        let rawValue: Int

        static let flag = Sources(rawValue: 1)
        static let environment = Sources(rawValue: 2)
        static let file = Sources(rawValue: 4)
        static let all: Sources = [.flag, .environment, .file]

        /// The rank of one source: a higher one stands over a lower one.
        var rank: Int { -rawValue }
    }

    /// The name of the flag without its dashes, and the key in the file.
    let name: String
    let kind: Kind
    /// The unit of a number, in words that follow it.
    var unit: String?
    let usual: Usual
    /// Its effect, for the help and the page.
    let help: String
    /// Why the usual value, or the bound, is what it is.
    let reason: String
    /// Whether SIGHUP changes it.
    var changesAtOnce = false
    var sources = Sources.all
    /// Whether the help leaves it out.
    var isHidden = false

    var isSecret: Bool {
        switch kind {
        case .secret, .secretPEM: true
        default: false
        }
    }

    var flag: String { "--\(name)" }

    var variable: String { Self.variablePrefix + String(name.map { Self.letter($0) }) }

    static let variablePrefix = "RELATIOND_"

    private static func letter(_ character: Character) -> Character {
        character == "-" ? "_" : Character(character.uppercased())
    }

    static func named(_ name: some StringProtocol) -> Setting? { all.first { $0.name == name } }

    /// The value that `text` is.
    ///
    /// - Throws: ``SettingError``, whose words follow the setting's name.
    func value(of text: String) throws(SettingError) -> SettingValue {
        switch kind {
        case .number(let range):
            guard let number = Self.number(text), range.contains(number) else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .number(number)
        case .yesOrNo:
            guard text == "true" || text == "false" else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .isOn(text == "true")
        case .choice(let names):
            guard names.contains(text) else { throw SettingError("takes \(rule)", not: text) }
            return .text(text)
        case .address: return .address(try address(text))
        case .mode:
            guard Self.mode(text) != nil else { throw SettingError("takes \(rule)", not: text) }
            return .text(text)
        case .addressOrOff:
            if text == "off" { return .text(text) }
            let address = try address(text)
            guard case .port = address else { throw SettingError("takes \(rule)", not: text) }
            return .address(address)
        case .collectorOrOff:
            guard text == "off" || CollectorURL(text) != nil else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .text(text)
        case .sampling:
            guard TraceSampling(text) != nil else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .text(text)
        case .name:
            let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isPlain, (1...Limits.nameCharacters).contains(text.utf8.count) else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .text(text)
        case .origins:
            guard Self.isList(text, of: BrowserRules.isOrigin) else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .text(text)
        case .hosts:
            guard Self.isList(text, of: BrowserRules.isHost) else {
                throw SettingError("takes \(rule)", not: text)
            }
            return .text(text)
        case .path:
            // A text of more lines is a key or a certificate by mistake, so it is not repeated.
            guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 }) else {
                throw SettingError("takes \(rule)")
            }
            return .text(text)
        case .store, .databases:
            // A URL with a password in it is not repeated.
            guard namesStores(text) else { throw SettingError("takes \(rule)") }
            return .text(text)
        case .secret:
            guard !text.isEmpty, !VariableText.hasControl(text) else {
                throw SettingError("takes \(rule)")
            }
            return .text(text)
        case .secretPEM:
            guard !text.isEmpty else { throw SettingError("takes \(rule)") }
            return .text(text)
        }
    }

    /// Whether the text names a store, or the databases of a list.
    private func namesStores(_ text: String) -> Bool {
        guard case .databases = kind else { return StoreKind(text) != nil }
        let parts = text.split(separator: " ").map { StoreKind(String($0)) }
        let areDatabases = parts.allSatisfy { if case .database = $0 { true } else { false } }
        return areDatabases && (1...Limits.listedStandbys).contains(parts.count)
    }

    private static func isList(_ text: String, of isPart: (String) -> Bool) -> Bool {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count <= Limits.listedNames && parts.allSatisfy { isPart(String($0)) }
    }

    private func address(_ text: String) throws(SettingError) -> ListenAddress {
        do throws(TargetError) {
            return try ListenAddress(argument: text)
        } catch {
            // Words that repeat a long text would be too long.
            let isShort = text.count <= Limits.shownCharacters
            throw SettingError("takes \(rule)", not: text, because: isShort ? "\(error)" : nil)
        }
    }

    /// The values that it takes, in words.
    var rule: String {
        switch kind {
        case .number(let range):
            "a number \(unit.map { "of \($0) " } ?? "")from \(range.lowerBound) to "
                + "\(range.upperBound)"
        case .yesOrNo: "true or false"
        case .choice(let names):
            names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        case .address: "HOST:PORT or unix:PATH"
        case .mode: "a mode of a file that lets its owner in, from 0600 to 0777"
        case .addressOrOff: "HOST:PORT or off"
        case .path: "the path of a file or folder"
        case .store:
            "rocks:FOLDER, or postgresql://HOST:PORT/DATABASE without a password; that comes by "
                + "\(Self.storePassword.variable) or PGPASSFILE"
        case .collectorOrOff: "http://HOST:PORT, https://HOST:PORT or off"
        case .sampling: "parent, a share from 0 to 1, or parent: with a share"
        case .name: "1 to \(Limits.nameCharacters) printable characters without blanks"
        case .origins:
            "* or up to \(Limits.listedNames) origins such as https://app.example, with commas"
        case .databases:
            "1 to \(Limits.listedStandbys) addresses postgresql://HOST:PORT/DATABASE without a "
                + "password, with blanks between them"
        case .hosts: "up to \(Limits.listedNames) names of hosts, with commas"
        case .secret: "one line of text"
        case .secretPEM: "a text that is not empty"
        }
    }

    /// The mode that `text` is in octal digits; nil if it is none that lets the file's owner in.
    static func mode(_ text: String) -> UInt32? {
        let digits = text.utf8.count == 4 ? text.dropFirst() : text[...]
        guard text.utf8.count == 3 || text.hasPrefix("0"), digits.utf8.count == 3,
            digits.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let mode = UInt32(digits, radix: 8), mode & 0o600 == 0o600
        else { return nil }
        return mode
    }

    /// The number that `text` is in digits; Swift's own parser would accept a sign too.
    private static func number(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
