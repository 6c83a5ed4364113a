import ArgumentParser

/// The flags of the server; each is described by its ``Setting``.
struct ServeFlags: ParsableArguments {
    @Option(.config) var config: String?
    @Option(.listen) var listen: String?
    @Option(.listenMode) var listenMode: String?
    @Option(.data) var data: String?
    @Option(.store) var store: String?
    @Option(.storeRead) var storeRead: String?
    @Option(.storeReadWait) var storeReadWait: String?
    @Option(.storeReadStaleness) var storeReadStaleness: String?
    @Option(.databaseConnections) var databaseConnections: String?
    @Option(.threads) var threads: String?
    @Option(.stopDelay) var stopDelay: String?

    @Option(.metricsListen) var metricsListen: String?
    @Flag(.metricsAllowPlaintext) var metricsAllowPlaintext: Bool?
    @Option(.metricsApps) var metricsApps: String?
    @Flag(.console) var console: Bool?

    @Flag(.insecure) var insecure: Bool?
    @Option(.tlsCert) var tlsCert: String?
    @Option(.tlsKey) var tlsKey: String?
    @Option(.clientCA) var clientCA: String?
    @Flag(.requireClientCert) var requireClientCert: Bool?
    @Flag(.allowPlaintext) var allowPlaintext: Bool?
    @Flag(.allowAnonymous) var allowAnonymous: Bool?

    @Option(.browserOrigins) var browserOrigins: String?
    @Option(.browserHosts) var browserHosts: String?

    @Flag(.hooks) var hooks: Bool?
    @Option(.hookHosts) var hookHosts: String?
    @Flag(.hookAllowPrivate) var hookAllowPrivate: Bool?
    @Flag(.hookAllowPlaintext) var hookAllowPlaintext: Bool?
    @Option(.hookCA) var hookCA: String?
    @Option(.hookCert) var hookCert: String?
    @Option(.hookKey) var hookKey: String?

    @Option(.appRate) var appRate: String?
    @Option(.keyRate) var keyRate: String?
    @Option(.userRate) var userRate: String?
    @Option(.appStreams) var appStreams: String?
    @Option(.keyStreams) var keyStreams: String?
    @Option(.userStreams) var userStreams: String?
    @Option(.appConnections) var appConnections: String?
    @Option(.keyConnections) var keyConnections: String?
    @Option(.userConnections) var userConnections: String?
    @Option(.addressConnections) var addressConnections: String?
    @Option(.addressRate) var addressRate: String?

    @Option(.connectionAge) var connectionAge: String?
    @Option(.connectionIdle) var connectionIdle: String?
    @Option(.memory) var memory: String?
    @Option(.cacheMemory) var cacheMemory: String?
    @Option(.keptMemory) var keptMemory: String?
    @Option(.backupFolder) var backupFolder: String?
    @Option(.backupEvery) var backupEvery: String?
    @Option(.backupKeep) var backupKeep: String?
    @Option(.auditDays) var auditDays: String?
    @Option(.auditCalls) var auditCalls: String?
    @Option(.logLevel) var logLevel: String?
    @Option(.logFormat) var logFormat: String?
    @Option(.slowCall) var slowCall: String?
    @Option(.accessLog) var accessLog: String?
    @Option(.accessLogSample) var accessLogSample: String?
    @Flag(.accessLogUsers) var accessLogUsers: Bool?
    @Option(.traceEndpoint) var traceEndpoint: String?
    @Option(.traceSample) var traceSample: String?
    @Flag(.traceUsers) var traceUsers: Bool?
    @Option(.traceService) var traceService: String?
    @Option(.traceHeaders) var traceHeaders: String?
    @Option(.traceCA) var traceCA: String?
    @Option(.traceTimeout) var traceTimeout: String?

    @Flag(.acceptLoss) var acceptLoss = false
    @Flag(.noSync) var noSync = false

    /// The settings that have a flag, with the texts of those that are given.
    var given: [(Setting, String?)] {
        let options: [(Setting, String?)] = [
            (.config, config), (.listen, listen), (.listenMode, listenMode), (.data, data),
            (.store, store), (.storeRead, storeRead), (.storeReadWait, storeReadWait),
            (.storeReadStaleness, storeReadStaleness),
            (.databaseConnections, databaseConnections),
            (.threads, threads), (.stopDelay, stopDelay),
            (.metricsListen, metricsListen), (.metricsApps, metricsApps), (.tlsCert, tlsCert),
            (.tlsKey, tlsKey),
            (.clientCA, clientCA), (.browserOrigins, browserOrigins),
            (.browserHosts, browserHosts), (.hookHosts, hookHosts), (.hookCA, hookCA),
            (.hookCert, hookCert), (.hookKey, hookKey),
            (.appRate, appRate), (.keyRate, keyRate),
            (.userRate, userRate), (.appStreams, appStreams), (.keyStreams, keyStreams),
            (.userStreams, userStreams), (.appConnections, appConnections),
            (.keyConnections, keyConnections), (.userConnections, userConnections),
            (.addressConnections, addressConnections), (.addressRate, addressRate),
            (.connectionAge, connectionAge), (.connectionIdle, connectionIdle),
            (.memory, memory), (.cacheMemory, cacheMemory),
            (.keptMemory, keptMemory), (.backupFolder, backupFolder),
            (.backupEvery, backupEvery), (.backupKeep, backupKeep),
            (.auditDays, auditDays), (.auditCalls, auditCalls), (.logLevel, logLevel),
            (.logFormat, logFormat),
            (.slowCall, slowCall), (.accessLog, accessLog),
            (.accessLogSample, accessLogSample), (.traceEndpoint, traceEndpoint),
            (.traceSample, traceSample), (.traceService, traceService),
            (.traceHeaders, traceHeaders), (.traceCA, traceCA), (.traceTimeout, traceTimeout),
        ]
        let switches: [(Setting, Bool?)] = [
            (.metricsAllowPlaintext, metricsAllowPlaintext), (.console, console),
            (.hooks, hooks), (.hookAllowPrivate, hookAllowPrivate),
            (.hookAllowPlaintext, hookAllowPlaintext), (.insecure, insecure),
            (.requireClientCert, requireClientCert),
            (.allowPlaintext, allowPlaintext), (.allowAnonymous, allowAnonymous),
            (.accessLogUsers, accessLogUsers), (.traceUsers, traceUsers),
            (.acceptLoss, acceptLoss ? true : nil),
            (.noSync, noSync ? true : nil),
        ]
        return options + switches.map { setting, isOn in (setting, isOn.map { "\($0)" }) }
    }
}

extension Option where Value == String? {
    /// The flag of a setting; its text is read with that of the other sources.
    init(_ setting: Setting) {
        self.init(name: .customLong(setting.name), help: setting.argumentHelp)
    }
}

extension Flag where Value == Bool? {
    /// The flag of a setting that is on or off, with `--no-` before the name for off.
    init(_ setting: Setting) {
        self.init(
            name: .customLong(setting.name), inversion: .prefixedNo, help: setting.argumentHelp)
    }
}

extension Flag where Value == Bool {
    /// The flag of a setting that can only be turned on.
    init(wrappedValue: Bool, _ setting: Setting) {
        self.init(
            wrappedValue: wrappedValue, name: .customLong(setting.name),
            help: setting.argumentHelp)
    }
}

extension Setting {
    fileprivate var argumentHelp: ArgumentHelp {
        var help = ArgumentHelp(
            stringLiteral: usualWords.map { "\(self.help) (default: \($0))" } ?? self.help)
        help.visibility = isHidden ? .hidden : .default
        if let unit { help.valueName = unit.split(separator: " ").joined(separator: "-") }
        return help
    }

    private var usualWords: String? {
        switch usual {
        case .value("false"): nil
        case .value(let text): text
        case .nothing(let words): words
        }
    }
}
