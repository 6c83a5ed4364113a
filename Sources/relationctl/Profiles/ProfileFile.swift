import Glibc
import Protobuf
import TextFiles

/// The file of profiles, which only its owner can read.
struct ProfileFile {
    /// The profile that is used if none is named.
    private(set) var current = ""
    private(set) var profiles: [String: ServerProfile] = [:]
    let path: String

    /// Reads the file; one that is not there has no profiles.
    ///
    /// - Throws: ``Failure`` if it is open to others, or is not a file of profiles.
    init() throws {
        path = try Self.defaultPath()
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw Self.failure(path) }
            return
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure("\(path) has keys, and is open to others: run chmod 600 on it")
        }
        let text: String
        do throws(InputFileError) {
            text = try SmallFile.text(in: file, named: path, atMost: Limits.profileBytes)
        } catch {
            throw Failure(error)
        }
        do throws(CodecError) {
            try parse(try JSONValue(parsing: text))
        } catch {
            throw Failure("\(path) is not a file of profiles: \(error.message)")
        }
    }

    /// The profile that is named, by the option or by RELATION_PROFILE.
    ///
    /// - Parameter orCurrent: Whether the current profile stands in if none is named.
    /// - Throws: ``Failure`` if a profile was named that is not there.
    static func chosen(_ option: String?, orCurrent: Bool) throws -> ServerProfile? {
        let file = try ProfileFile()
        guard let name = try option ?? Environment.line("RELATION_PROFILE") else {
            return orCurrent ? file.profiles[file.current] : nil
        }
        guard let found = file.profiles[name] else {
            throw Failure(
                "no profile \(name) in \(file.path): "
                    + "'relationctl login' makes one", .misuse)
        }
        return found
    }

    /// The names of all profiles, for completion; none if the file cannot be read.
    static var names: [String] {
        guard let file = try? ProfileFile() else { return [] }
        return file.profiles.keys.filter(isName).sorted()
    }

    /// Keeps a profile, which becomes the current one.
    mutating func save(_ profile: ServerProfile, as name: String) throws {
        profiles[name] = profile
        current = name
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(folder) }
        }
        try LineFile.write(text, to: path)
    }

    /// Whether a text may be the name of a profile.
    static func isName(_ text: String) -> Bool {
        (1...Limits.profileNameBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func defaultPath() throws -> String {
        if let path = try Environment.line("RELATION_PROFILES") {
            guard path.hasPrefix("/") else {
                throw Failure("RELATION_PROFILES must begin with /: it is \(path)", .misuse)
            }
            return path
        }
        if let folder = Environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/relationctl/profiles.json"
        }
        return (Environment["HOME"] ?? "") + "/.config/relationctl/profiles.json"
    }

    private static func failure(_ path: String) -> Failure {
        Failure("\(path): \(String(cString: strerror(errno)))")
    }

    // MARK: JSON

    private mutating func parse(_ value: JSONValue) throws(CodecError) {
        guard case .object(let members) = value else {
            throw Self.syntaxError("an object must be here")
        }
        for member in members {
            switch (member.key, member.value) {
            case ("current", .string(let name)): current = name
            case ("profiles", .object(let named)):
                for entry in named { profiles[entry.key] = try Self.profile(entry) }
            default: throw Self.syntaxError("\(member.key) is not known")
            }
        }
    }

    private static func profile(
        _ entry: (key: String, value: JSONValue)
    ) throws(CodecError) -> ServerProfile {
        guard case .object(let members) = entry.value else {
            throw syntaxError("\(entry.key) must be an object")
        }
        var profile = ServerProfile(server: "")
        for member in members {
            switch (member.key, member.value) {
            case ("server", .string(let text)): profile.server = text
            case ("key", .string(let text)): profile.key = text
            case ("tlsCA", .string(let text)): profile.tlsCA = text
            case ("tlsName", .string(let text)): profile.tlsName = text
            case ("pages", .string(let text)): profile.pages = text
            case ("tls", .bool(let isOn)): profile.tls = isOn
            case ("app", .number(let digits)):
                guard let app = UInt32(digits) else {
                    throw syntaxError("\(entry.key).app must be a number of an app")
                }
                profile.app = app
            default: throw syntaxError("\(entry.key).\(member.key) is not known")
            }
        }
        return profile
    }

    private static func syntaxError(_ words: String) -> CodecError {
        CodecError(.invalidJSON, words)
    }

    private var text: String {
        let entries = profiles.sorted { $0.key < $1.key }.map { name, profile in
            var members: [(key: String, value: JSONValue)] = [("server", .string(profile.server))]
            if let app = profile.app { members.append(("app", .number("\(app)"))) }
            if let key = profile.key { members.append(("key", .string(key))) }
            if profile.tls { members.append(("tls", .bool(true))) }
            if let path = profile.tlsCA { members.append(("tlsCA", .string(path))) }
            if let name = profile.tlsName { members.append(("tlsName", .string(name))) }
            if let pages = profile.pages { members.append(("pages", .string(pages))) }
            return (key: name, value: JSONValue.object(members))
        }
        return JSONText(
            .object([("current", .string(current)), ("profiles", .object(entries))])
        ).pretty
    }
}
