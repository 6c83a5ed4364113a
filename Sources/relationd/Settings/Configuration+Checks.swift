import Logging

// Which settings fit together, and which files are too open.
extension Configuration {
    /// The purpose of the settings.
    enum Needs {
        /// To serve: all that has no usual value must be there.
        case serving
        /// To be checked: what is not set may come from another source later.
        case checking
        /// To make the operator's key: only the store is of interest.
        case store
        /// To restore a backup: only the folder is of interest.
        case folder
        /// To copy a store, where the command names both.
        case nothing
    }

    /// The errors of settings that do not fit together, in words.
    func errors(_ needs: Needs) -> [String] {
        var errors: [String] = []
        if isSet(.data), isSet(.store) {
            errors.append("\(name(.data)) and \(name(.store)) cannot be used together")
        }
        if needs == .folder, case .database = store {
            errors.append("this command needs a folder, and \(name(.store)) names a database")
        }
        if ![.checking, .nothing].contains(needs), !isSet(.data), !isSet(.store) {
            errors.append(
                "no source says where the data is: \(Setting.data.origins). For a first try: "
                    + "relationd serve --data ./relation-data")
        }
        guard needs == .serving || needs == .checking else { return errors }
        if isSet(.storeRead), case .folder = store {
            errors.append("\(name(.storeRead)) needs \(Setting.store.flag) with a database")
        }
        if keptBytes > cacheBytes {
            errors.append(
                """
                \(name(.keptMemory)) is a part of \(name(.cacheMemory)), which is \
                \(cacheBytes >> 20) MiB
                """)
        }
        let address = listen
        if isSet(.listenMode), case .port = address {
            errors.append("\(name(.listenMode)) needs a socket, and \(address) is none")
        }
        if isOn(.insecure), !address.isLocal {
            errors.append(
                """
                \(name(.insecure)) needs a loopback address or a socket, and \(address) is neither
                """)
        }
        if isOn(.insecure), isSet(.tlsCert) {
            errors.append("\(name(.insecure)) and \(name(.tlsCert)) cannot be used together")
        }
        return errors + errorsOfTLS(address) + errorsOfHooks + errorsOfTraces + errorsOfAudit
    }

    /// Warns of files with secrets that other users of the machine may read.
    func warnOfOpenSecrets(_ logger: Logger) {
        for setting in [Setting.tlsKey, .hookKey, .traceHeaders] {
            guard let path = text(setting), let mode = FileModes.openMode(of: path) else {
                continue
            }
            let digits = String(mode, radix: 8)
            logger.warning(
                """
                \(name(setting)): others than the owner of \(path) may read or change it (mode \
                0\(digits)): chmod go= \(path)
                """)
        }
    }

    private var errorsOfHooks: [String] {
        guard isSet(.hookCert) != isSet(.hookKey) else { return [] }
        let (given, missing) =
            isSet(.hookCert) ? (Setting.hookCert, Setting.hookKey) : (.hookKey, .hookCert)
        return ["\(name(given)) needs \(name(missing))"]
    }

    private var errorsOfTraces: [String] {
        guard let collector = collectorURL else { return [] }
        var errors: [String] = []
        if isSet(.traceCA), !collector.isEncrypted {
            errors.append("\(name(.traceCA)) needs \(name(.traceEndpoint)) with https")
        }
        if isSet(.traceHeaders), !collector.isEncrypted, !collector.isLocal {
            errors.append(
                """
                \(name(.traceHeaders)) needs \(name(.traceEndpoint)) with https, since a network \
                would see them
                """)
        }
        return errors
    }

    private func errorsOfTLS(_ address: ListenAddress) -> [String] {
        var errors: [String] = []
        let hasKey = isSet(.tlsKey) || isSet(.tlsKeyPEM)
        if isSet(.tlsKey), isSet(.tlsKeyPEM) {
            errors.append("\(name(.tlsKey)) and \(name(.tlsKeyPEM)) cannot be used together")
        }
        if isSet(.tlsCert), !hasKey { errors.append("\(name(.tlsCert)) needs \(name(.tlsKey))") }
        if hasKey, !isSet(.tlsCert) {
            let key = isSet(.tlsKey) ? name(.tlsKey) : name(.tlsKeyPEM)
            errors.append("\(key) needs \(name(.tlsCert))")
        }
        if isSet(.clientCA), !isSet(.tlsCert) {
            errors.append("\(name(.clientCA)) needs \(name(.tlsCert)) and \(name(.tlsKey))")
        }
        if isOn(.requireClientCert), !isSet(.clientCA) {
            errors.append("\(name(.requireClientCert)) needs \(name(.clientCA))")
        }
        if !address.isLocal, !isSet(.tlsCert), !isOn(.allowPlaintext), !isOn(.insecure) {
            errors.append(
                """
                other machines can reach \(address): it needs \(name(.tlsCert)) and \
                \(name(.tlsKey)), or \(name(.allowPlaintext))
                """)
        }
        if let adminAddress, !adminAddress.isLocal, !isSet(.tlsCert), !isOn(.metricsAllowPlaintext)
        {
            errors.append(
                """
                other machines can reach \(adminAddress): \(name(.metricsListen)) there needs \
                \(name(.tlsCert)) and \(name(.tlsKey)), or \(name(.metricsAllowPlaintext))
                """)
        }
        return errors
    }
}
