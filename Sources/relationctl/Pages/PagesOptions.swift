import ArgumentParser
import RelationClient

/// The options for the admin endpoints of a server, and for the server that they must be of.
struct PagesOptions: ParsableArguments {
    @Option(
        help: """
            The admin endpoints: HOST:PORT of --metrics-listen, or a URL with https:// if \
            they are encrypted, as --tls and --tls-ca say too. If absent, RELATION_PAGES of the \
            environment, then those of the profile, then 127.0.0.1:7451 for a server on port 7450 \
            of this machine.
            """)
    var pages: String?

    @OptionGroup var connection: Connection

    func validate() throws {
        guard let pages else { return }
        do {
            _ = try Self.address(pages, "--pages")
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The admin endpoints that the options, the environment and a profile name together.
    ///
    /// - Parameter isOfServer: Whether the server is asked too, so that the endpoints must be its
    ///   own.
    /// - Throws: ``Failure`` if it is not known where the admin endpoints of the server are.
    func found(isOfServer: Bool = false) throws -> ServerPages {
        let profile = try connection.chosenProfile()
        let (reader, source) = try reader(profile)
        let server = try connection.source(of: profile)
        // Endpoints that were named more strongly than a server are what was asked for.
        let isAlone = !isOfServer && (source > server || server == .usual)
        let servers = try connection.address(profile)
        guard isAlone || servers.addresses.count == 1 else {
            throw Failure("figures are those of one server: name one of \(servers)", .misuse)
        }
        return ServerPages(reader, of: isAlone ? nil : connection)
    }

    private func reader(_ profile: ServerProfile?) throws -> (PageReader, SettingSource) {
        let security = connection.security
        if let text = pages {
            return (try PageReader(Self.address(text, "--pages"), security), .option)
        }
        if let text = try Environment.line("RELATION_PAGES") {
            return (try PageReader(Self.address(text, "RELATION_PAGES"), security), .variable)
        }
        let server = try connection.source(of: profile)
        // A profile names the endpoints of its own server.
        let isOfProfile = server <= connection.sourceOfProfile
        if isOfProfile, let profile, let text = profile.pages {
            return (try PageReader(of: profile, text, security), connection.sourceOfProfile)
        }
        let address = try connection.address(profile)
        guard server == .usual || Self.hasUsualPages(address) else {
            let words: PlainText =
                "name them with --pages, RELATION_PAGES or 'relationctl login --pages'"
            throw Failure(
                "it is not known where the admin endpoints of \(address) are: \(words)", .misuse)
        }
        return (try PageReader(.usual, security), .usual)
    }

    /// Whether a server at this address has its endpoints at the usual port, if its settings
    /// name no other one.
    private static func hasUsualPages(_ address: ServerList) -> Bool {
        ["127.0.0.1:7450", "localhost:7450", "[::1]:7450"].contains(address.description)
    }

    /// The address in a text that has this name.
    ///
    /// - Throws: ``Failure``, which says what to write instead.
    static func address(_ text: String, _ name: String) throws -> PageAddress {
        do {
            return try PageAddress(text)
        } catch {
            throw Failure(
                "\(name) takes an address such as 127.0.0.1:7451 or "
                    + "https://relation.example:7451: \(error)", .misuse)
        }
    }
}

/// Where a setting of the command line comes from; a later case stands over an earlier one.
enum SettingSource: Int, Comparable {
    case usual
    case currentProfile
    case variable
    case option

    static func < (one: SettingSource, other: SettingSource) -> Bool {
        one.rawValue < other.rawValue
    }
}

extension Connection {
    /// Where the profile is named that is used.
    var sourceOfProfile: SettingSource {
        if named.profile != nil { return .option }
        return Environment["RELATION_PROFILE"] != nil ? .variable : .currentProfile
    }

    /// Where the address of the server comes from.
    func source(of profile: ServerProfile?) throws -> SettingSource {
        if server != nil { return .option }
        if try Environment.line("RELATION_SERVER") != nil { return .variable }
        return profile == nil ? .usual : sourceOfProfile
    }
}
