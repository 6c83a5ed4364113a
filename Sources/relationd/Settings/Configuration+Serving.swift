import GRPC
import GRPCWire
import Logging
import RelationAdmission
import RelationRuntime
import Release
import StoragePostgres
import StorageRocks

// The settings in the forms that the server's parts take.
extension Configuration {
    var listen: ListenAddress {
        if case .address(let address)? = value(.listen) {
            address
        } else {
            .port(7450, host: "127.0.0.1")
        }
    }

    /// The address to listen on: this one, or a free port of its host if no setting asks for this
    /// one and it is taken.
    ///
    /// - Parameters:
    ///   - setting: The setting that asks for an address.
    ///   - purpose: The use of the address, for the log.
    func address(
        of setting: Setting, _ usual: ListenAddress, _ purpose: String, _ logger: Logger
    ) -> ListenAddress {
        guard !isAsked(setting), case .port(_, let host) = usual, usual.isTaken else {
            return usual
        }
        logger.warning(
            """
            \(usual) is taken, and no setting asks for it: \(purpose) on a free port. \
            \(setting.flag) asks for an address
            """)
        return .port(0, host: host)
    }

    /// Where the rows are; the absence of a store was reported before.
    var store: StoreKind {
        if let store = text(.store).flatMap({ StoreKind($0) }) { return store }
        return .folder(text(.data) ?? "")
    }

    /// The store as messages name it.
    var shownStore: String {
        if case .database(let address) = store { address } else { data }
    }

    /// The flag that names the store.
    var storeFlag: String {
        if case .database(let address) = store { "--store \(address)" } else { "--data \(data)" }
    }

    /// The folder of the data; empty if the rows are in a database.
    var data: String {
        if case .folder(let path) = store { path } else { "" }
    }

    /// How the database is reached, if the rows are in one.
    var database: PostgresOptions {
        var address = ""
        if case .database(let found) = store { address = found }
        var options = PostgresOptions(address: address, password: text(.storePassword))
        options.standbys = text(.storeRead)?.split(separator: " ").map(String.init) ?? []
        if let wait = number(.storeReadWait) { options.standbyWaitMilliseconds = wait }
        if let age = number(.storeReadStaleness) { options.standbyStalenessMilliseconds = age }
        return options
    }

    var threads: Int {
        number(.threads) ?? min(ServerConfiguration.processorCount, Setting.mostThreads)
    }

    var stopDelay: Int { number(.stopDelay) ?? 0 }

    /// Whether callers need no credential.
    var isOpen: Bool { isOn(.insecure) || isOn(.allowAnonymous) }

    var logLevel: Logger.Level {
        text(.logLevel).flatMap { Logger.Level(rawValue: $0) } ?? .info
    }

    /// Which calls have lines in the log.
    var callLog: CallLogOptions {
        var options = CallLogOptions()
        options.every =
            switch text(.accessLog) {
            case "all": 1
            case "sampled": number(.accessLogSample) ?? 0
            default: 0
            }
        options.slowMilliseconds = bound(.slowCall)
        options.namesUsers = isOn(.accessLogUsers)
        return options
    }

    // MARK: - Memory for rows

    // All of it is one share of the memory that the process may have. A part is for what the rows
    // say: names, profiles and adjacency lists. The rest is for the engine's blocks.

    /// The bytes for names, profiles and adjacency lists.
    var keptBytes: Int { number(.keptMemory).map { $0 << 20 } ?? cacheBytes / 2 }

    /// The bytes for the engine's blocks.
    var blockBytes: Int { max(StoreMemoryLimits.leastBlockBytes, cacheBytes - keptBytes) }

    var cacheBytes: Int {
        number(.cacheMemory).map { $0 << 20 } ?? ProcessMemory.cacheBytes
    }

    // MARK: - The store

    func store(_ descriptors: Descriptors) -> RocksOptions {
        var options = RocksOptions()
        options.sync = !isOn(.noSync)
        options.openFiles = descriptors.engineFiles
        options.acceptsLoss = isOn(.acceptLoss)
        options.blockCacheBytes = blockBytes
        options.readaheadBytes = ProcessMemory.fileBytes
        options.backups = BackupOptions(
            folder: text(.backupFolder) ?? "\(data)/backups", kept: number(.backupKeep) ?? 1,
            version: Version.text)
        return options
    }

    // MARK: - Callers

    /// The rates; each burst lasts as many seconds as the usual one.
    var rates: CallRates {
        var rates = CallRates()
        rates.app = rate(.appRate, like: AdmissionLimits.callsPerApp)
        rates.key = rate(.keyRate, like: AdmissionLimits.callsPerKey)
        rates.user = rate(.userRate, like: AdmissionLimits.callsPerUser)
        return rates
    }

    private func rate(_ setting: Setting, like usual: Rate) -> Rate? {
        bound(setting).map { Rate(perSecond: $0, burst: $0 * usual.burst / usual.perSecond) }
    }

    var bounds: HoldBounds {
        var bounds = HoldBounds()
        bounds.calls = HoldBounds.Numbers(
            app: bound(.appStreams), key: bound(.keyStreams), user: bound(.userStreams))
        bounds.connections = HoldBounds.Numbers(
            app: bound(.appConnections), key: bound(.keyConnections), user: bound(.userConnections))
        return bounds
    }

    /// The bound of a setting; nil for any number.
    private func bound(_ setting: Setting) -> Int? {
        number(setting).flatMap { $0 == 0 ? nil : $0 }
    }

    // MARK: - Connections

    /// The bounds on connections that may change while the server runs.
    var changing: ServerBounds {
        var bounds = ServerBounds()
        bounds.maxConnectionsPerAddress = bound(.addressConnections)
        bounds.maxConnectionsPerSecondOfAddress = bound(.addressRate)
        bounds.connectionAgeSeconds = bound(.connectionAge).map { Int64($0) }
        bounds.connectionIdleSeconds = bound(.connectionIdle).map { Int64($0) }
        if let memory = number(.memory) { bounds.maxHeldBytes = memory << 20 }
        return bounds
    }

    func server(
        _ tls: ServerTLS?, _ descriptors: Descriptors, at address: ListenAddress
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(loops: threads)
        switch address {
        case .port(let port, let host): (configuration.host, configuration.port) = (host, port)
        case .socket(let path): configuration.socketPath = path
        }
        configuration.socketMode = text(.listenMode).flatMap(Setting.mode) ?? Self.socketMode
        configuration.tls = tls
        configuration.maxConnections = descriptors.connections
        configuration.bounds = changing
        configuration.browsers = browsers
        configuration.meantPaths = { MeantPaths.known[$0] }
        return configuration
    }

    /// The mode of a socket that no setting opens.
    private static let socketMode: UInt32 = 0o600

    /// Which pages of browsers may call.
    private var browsers: BrowserRules {
        var rules = BrowserRules()
        rules.origins = words(.browserOrigins)
        rules.hosts = words(.browserHosts).map { $0.lowercased() }
        // No page of a browser reaches a socket in the file system.
        if case .port = listen { rules.checksHosts = listen.isLocal || isOpen }
        rules.takesAddresses = !listen.isLocal
        return rules
    }

    /// Which hosts a request for a page may name.
    ///
    /// The endpoints ask for no credentials. With TLS a browser finds out by itself that a name is
    /// not one of the certificate's.
    var pageRules: BrowserRules {
        var rules = BrowserRules()
        rules.hosts = browsers.hosts
        rules.checksHosts = !areAdminEndpointsEncrypted
        rules.takesAddresses = adminAddress?.isLocal == false
        return rules
    }

    func words(_ setting: Setting) -> [String] {
        (text(setting) ?? "").split(separator: ",").map(String.init)
    }

    // MARK: - The admin endpoints

    /// Where the admin endpoints are; nil for nowhere.
    var adminAddress: ListenAddress? {
        switch value(.metricsListen) {
        case .address(let address)?: address
        case nil:
            switch listen {
            case .port(0, host: _), .socket: .port(0, host: "127.0.0.1")
            case .port: .port(Setting.metricsPort, host: "127.0.0.1")
            }
        default: nil
        }
    }

    /// Whether the admin endpoints are served over TLS, with the server's own certificate.
    ///
    /// On a loopback address they are not, so that tools of the machine need no certificate.
    var areAdminEndpointsEncrypted: Bool {
        guard let adminAddress else { return false }
        return isSet(.tlsCert) && !adminAddress.isLocal && !isOn(.metricsAllowPlaintext)
    }

    /// Whether the admin endpoints include the console, whose calls come in there too.
    ///
    /// Only those who could call the server itself may call it there, and no credential may cross a
    /// network in clear.
    var isConsoleShown: Bool {
        guard isOn(.console), !isOn(.requireClientCert), let adminAddress else { return false }
        return adminAddress.isLocal || areAdminEndpointsEncrypted && !isOpen
    }

    // MARK: - TLS

    /// How connections are encrypted; nil if no setting asks for TLS.
    ///
    /// - Parameter protocols: The protocols above TLS.
    /// - Throws: ``FatalError``, which names the file that cannot be used.
    func tls(for protocols: [String] = ["h2", "http/1.1"]) throws -> ServerTLS? {
        guard let files = tlsFiles else { return nil }
        do throws(TLSSetupError) {
            return try ServerTLS(files, protocols: protocols)
        } catch {
            throw FatalError(error.description)
        }
    }

    /// The files of TLS; nil if no setting asks for TLS.
    var tlsFiles: TLSFiles? {
        guard let certificate = text(.tlsCert) else { return nil }
        let key: PEMSource
        if let path = text(.tlsKey) {
            key = .file(path)
        } else if let text = text(.tlsKeyPEM) {
            key = .bytes(Array(text.utf8))
        } else {
            return nil
        }
        var files = TLSFiles(
            certificate: certificate, key: key, clientAuthorities: text(.clientCA))
        files.requiresClientCertificate = isOn(.requireClientCert)
        return files
    }
}
