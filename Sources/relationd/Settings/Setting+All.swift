import GRPC
import GRPCWire
import RelationAdmission
import RelationCore

// The table of settings: each is described once, here.
extension Setting {
    /// All settings, in the order of the page.
    static let all =
        [config, listen, listenMode, data, store, storePassword, storeRead, storeReadWait]
        + [storeReadStaleness, databaseConnections]
        + [threads, stopDelay]
        + [metricsListen, metricsAllowPlaintext, metricsApps, console] + security + callers
        + [connectionAge, connectionIdle, memory, cacheMemory, keptMemory]
        + browsers + hookSettings + backups + audits + logs + traces + [acceptLoss, noSync]

    static let security = [
        insecure, tlsCert, tlsKey, tlsKeyPEM, clientCA, requireClientCert, allowPlaintext,
        allowAnonymous,
    ]
    static let callers = [
        appRate, keyRate, userRate, appStreams, keyStreams, userStreams, appConnections,
        keyConnections, userConnections, addressConnections, addressRate,
    ]
    static let browsers = [browserOrigins, browserHosts]
    static let hookSettings = [
        hooks, hookHosts, hookAllowPrivate, hookAllowPlaintext, hookCA, hookCert, hookKey,
    ]
    static let backups = [backupFolder, backupEvery, backupKeep]
    static let logs = [
        logLevel, logFormat, slowCall, accessLog, accessLogSample, accessLogUsers,
    ]
    static let traces = [
        traceEndpoint, traceSample, traceUsers, traceService, traceHeaders, traceCA, traceTimeout,
    ]

    // MARK: The server

    static let config = Setting(
        name: "config", kind: .path, usual: .nothing("no file"),
        help: "The file with settings, in YAML: one `name: value` a line.",
        reason: "A flag stands over a variable, a variable over the file.",
        sources: [.flag, .environment])

    static let listen = Setting(
        name: "listen", kind: .address, usual: .value("127.0.0.1:7450"),
        help: """
            The address and port to listen on; port 0 picks a free one. Or unix:PATH for a socket \
            in the file system.
            """,
        reason: """
            A server that is not secured yet is reached by its own machine only. If no source says \
            where to listen and the port is taken, the server takes a free one, and says so.
            """)

    static let listenMode = Setting(
        name: "listen-mode", kind: .mode, usual: .nothing("0600"),
        help: """
            The mode of the socket of listen, which says who may connect: 0660 lets its group \
            in too, and 0666 all users of the machine.
            """,
        reason: """
            Without it a socket is for the server's own user, whatever umask it was started \
            with. A client needs the right to write.
            """)

    static let data = Setting(
        name: "data", kind: .path, usual: .nothing("the folder or database of `store`"),
        help: "The folder that holds the data; it is made if it is missing.",
        reason: "Only the operator knows which disk is meant for it.")

    static let store = Setting(
        name: "store", kind: .store, usual: .nothing("the folder of `data`"),
        help: """
            Where the rows are: rocks:FOLDER, which is what data says too, or the URL of a \
            database, such as postgresql://host:5432/relation. Many servers may share a database; \
            relationd init makes its tables.
            """,
        reason: "One machine needs no database, and a database outlives one machine.")

    static let storePassword = Setting(
        name: "store-password", kind: .secret,
        usual: .nothing("what libpq finds in the file that PGPASSFILE names"),
        help: "The password for the database of store.",
        reason: "Others may read arguments, and a file of settings is shown and copied.",
        sources: [.environment])

    static let storeRead = Setting(
        name: "store-read", kind: .databases, usual: .nothing("all reads are on the primary"),
        help: """
            The standbys of the database of store, one URL each, with blanks between them. \
            Exports, integrity checks, beginnings of streams, suggestions and searches are read \
            from one that has all that was committed before, and a read with min_sequence from \
            one that shows it.
            """,
        reason: """
            A read on the primary takes its processor and its disk. Each standby needs an address \
            of its own.
            """)

    static let storeReadWait = Setting(
        name: "store-read-wait", kind: .number(1...60_000), unit: "milliseconds",
        usual: .value("1000"),
        help: """
            How long an export waits at its beginning for a standby of store-read that lags, \
            before the primary takes it.
            """,
        reason: "A standby is some milliseconds behind, and one that is more has a fault.")

    static let storeReadStaleness = Setting(
        name: "store-read-staleness", kind: .number(0...60_000), unit: "milliseconds",
        usual: .value("0"),
        help: """
            How old the answer of a standby of store-read may be to a read without min_sequence. 0 \
            keeps such reads on the primary.
            """,
        reason: "A read sees what is committed, unless the operator says that it need not.")

    static let databaseConnections = Setting(
        name: "database-connections",
        kind: .number(Limits.leastDatabaseConnections...20_000), unit: "connections",
        usual: .value("1000"),
        help: """
            The connections that this server may have to the databases of its directory, beside \
            the home. They are divided by the number of databases when one is opened, and each \
            gets \(Limits.leastDatabaseConnections) at least.
            """,
        reason: "One database needs some 80 at most, and takes them as calls need them.")

    static let threads = Setting(
        name: "threads", kind: .number(1...mostThreads), unit: "threads",
        usual: .nothing("one for each processor that the process may use"),
        help: """
            Threads that serve connections. Each connection stays with one thread, and new ones go \
            to the threads in turn.
            """,
        reason: "More threads than processors only take turns.")

    static let mostThreads = 64

    static let stopDelay = Setting(
        name: "stop-delay", kind: .number(0...600), unit: "seconds", usual: .value("0"),
        help: """
            Wait so many seconds after a signal before the stop. Meanwhile health is NOT_SERVING, \
            and calls are accepted as before. This is for balancers that ask for health only now \
            and then.
            """,
        reason: "Only a balancer that polls needs it.", changesAtOnce: true)

    // MARK: The admin endpoints

    static let metricsPort = 7_451

    static let metricsListen = Setting(
        name: "metrics-listen", kind: .addressOrOff,
        usual: .nothing("127.0.0.1:\(metricsPort), or a free port"),
        help: """
            The address and port of the admin endpoints /metrics, /livez, /readyz and /version; or \
            off.
            """,
        reason: """
            The endpoints name no user, and still only the machine itself needs them. The system \
            picks a port of 127.0.0.1 for them if \(metricsPort) is taken, or if listen leaves \
            its port to the system or is a socket. Several servers on one machine do not get in \
            each other's way. An address that is asked for is taken, or the start fails.
            """)

    static let metricsAllowPlaintext = Setting(
        name: "metrics-allow-plaintext", kind: .yesOrNo, usual: .value("false"),
        help: "Serve the admin endpoints without TLS on an address that other machines can reach.",
        reason: "Otherwise they need the server's certificate there.")

    static let metricsApps = Setting(
        name: "metrics-apps", kind: .number(0...AdmissionLimits.countedApps), unit: "apps",
        usual: .value("10"),
        help: """
            The apps whose calls /metrics counts each by itself: the first that call. The others \
            are counted together, as the app "other"; 0 counts no app.
            """,
        reason: "Each app is 14 series of Prometheus.")

    static let console = Setting(
        name: "console", kind: .yesOrNo, usual: .value("true"),
        help: """
            Show the console at the root of the admin endpoints, and take calls in Connect there. \
            It is shown on an address of this machine, or with TLS to callers who have \
            credentials; never if clients must show certificates.
            """,
        reason: """
            A person sees the graph without installing anything. The console carries the \
            credential that its user types, so it can do no more than its user may.
            """)

    // MARK: The callers that may come in

    static let insecure = Setting(
        name: "insecure", kind: .yesOrNo, usual: .value("false"),
        help: """
            Let every caller on this machine do everything, on a loopback address or a socket. \
            The metadata x-app-id gives the app; it is 1 if this is absent. The metadata x-scopes \
            gives the scopes (read, write, watch, admin, operator); the caller has all if this is \
            absent. The metadata x-user-id makes the caller that one user. Without it every call \
            but health needs a credential.
            """,
        reason: "For trials on one's own machine.")

    static let tlsCert = Setting(
        name: "tls-cert", kind: .path, usual: .nothing("no TLS"),
        help: "The server's certificate, and those that lead from it to its issuer, in PEM.",
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    static let tlsKey = Setting(
        name: "tls-key", kind: .path, usual: .nothing("no TLS"),
        help: "The file with the key of that certificate, in PEM.",
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    static let tlsKeyPEM = Setting(
        name: "tls-key-pem", kind: .secretPEM, usual: .nothing("the key of `tls-key`"),
        help: "The key of that certificate itself, in PEM, in place of tls-key.",
        reason: "Others may read arguments, and a file of settings is shown and copied.",
        sources: [.environment])

    static let clientCA = Setting(
        name: "client-ca", kind: .path, usual: .nothing("clients are asked for no certificate"),
        help: """
            The authorities that sign the certificates of clients, in PEM. A client may then show \
            a certificate, and a registered one stands for an API key. A client's own certificate \
            does not work here, not even one that signs itself.
            """,
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    static let requireClientCert = Setting(
        name: "require-client-cert", kind: .yesOrNo, usual: .value("false"),
        help: "Refuse clients without a certificate.",
        reason: "Clients may show a key or a signature instead.", changesAtOnce: true)

    static let allowPlaintext = Setting(
        name: "allow-plaintext", kind: .yesOrNo, usual: .value("false"),
        help: "Listen without TLS on an address that other machines can reach.",
        reason: "Every machine on the way can read credentials that are not encrypted.")

    static let allowAnonymous = Setting(
        name: "allow-anonymous", kind: .yesOrNo, usual: .value("false"),
        help: "Ask for no credentials, as insecure does, on an address that others can reach.",
        reason: "Each program that reaches the address may do everything.")

    // MARK: Browsers

    static let browserOrigins = Setting(
        name: "browser-origins", kind: .origins, usual: .nothing("no page of a browser may call"),
        help: """
            The origins whose pages may call in Connect or gRPC-Web, with commas between them, \
            such as https://app.example; * stands for any.
            """,
        reason: """
            A page can send whatever its user could. The server never lets a browser send cookies \
            or certificates to it, so even * gives away nothing that needs a credential.
            """)

    static let browserHosts = Setting(
        name: "browser-hosts", kind: .hosts, usual: .nothing("the names of the machine itself"),
        help: """
            Further names by which requests may reach the server, with or without a port and with \
            commas between them. They count for requests in Connect or gRPC-Web to a server that \
            listens on a loopback address or asks for no credentials, and for requests without \
            TLS to the admin endpoints.
            """,
        reason: "A page may give its own name the address of this machine.")

    // MARK: Hooks

    static let hooks = Setting(
        name: "hooks", kind: .yesOrNo, usual: .value("false"),
        help: """
            Let administrators of apps name URLs to which this server sends the changes of their \
            apps, and send them.
            """,
        reason: "A server makes connections only after its operator has said so.")

    static let hookHosts = Setting(
        name: "hook-hosts", kind: .hosts, usual: .nothing("all hosts"),
        help: "The hosts to which changes may be sent, with commas between them.",
        reason: "An operator who knows the receivers can rule out all others.")

    static let hookAllowPrivate = Setting(
        name: "hook-allow-private", kind: .yesOrNo, usual: .value("false"),
        help: """
            Send changes to addresses of this machine and of private networks too, but never to \
            those of one link, where clouds keep the secrets of a machine.
            """,
        reason: "Otherwise an app's administrator could reach what only this machine may.")

    static let hookAllowPlaintext = Setting(
        name: "hook-allow-plaintext", kind: .yesOrNo, usual: .value("false"),
        help: "Send changes without TLS to receivers whose URLs begin with http://.",
        reason: "Changes name users and what they do.")

    static let hookCA = Setting(
        name: "hook-ca", kind: .path, usual: .nothing("the authorities that the system trusts"),
        help: """
            The authorities that sign the certificates of receivers, in PEM, in place of those \
            that the system trusts.
            """,
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    static let hookCert = Setting(
        name: "hook-cert", kind: .path, usual: .nothing("receivers are shown no certificate"),
        help: """
            The certificate that is shown to receivers of hooks that ask for one, and those that \
            lead from it to its issuer, in PEM. It needs hook-key.
            """,
        reason: """
            A receiver then knows the server before it reads anything. SIGHUP reads the file again.
            """, changesAtOnce: true)

    static let hookKey = Setting(
        name: "hook-key", kind: .path, usual: .nothing("receivers are shown no certificate"),
        help: "The file with the key of hook-cert, in PEM.",
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    // MARK: How much callers may do

    private static let anyNumber = 0...10_000_000

    private static func caller(
        _ name: String, _ unit: String, _ usual: Int, _ help: String, _ reason: String
    ) -> Setting {
        Setting(
            name: name, kind: .number(anyNumber), unit: unit, usual: .value("\(usual)"),
            help: help, reason: reason, changesAtOnce: true)
    }

    static let appRate = caller(
        "app-rate", "calls a second", AdmissionLimits.callsPerApp.perSecond,
        "Calls a second of one app; 0 for any number.",
        "One processor answers about so many of the cheapest calls.")

    static let keyRate = caller(
        "key-rate", "calls a second", AdmissionLimits.callsPerKey.perSecond,
        "Calls a second of one API key or client certificate; 0 for any number.",
        "Half of its app's: a program that runs wild leaves room for the others.")

    static let userRate = caller(
        "user-rate", "calls a second", AdmissionLimits.callsPerUser.perSecond,
        "Calls a second of one user's signatures; 0 for any number.",
        "More than a person causes, and less than a device that calls in a loop.")

    static let appStreams = caller(
        "app-streams", "calls", AdmissionLimits.openCallsPerApp,
        """
        Calls of one app that may be open at once: streams, and calls that wait for the disk; 0 \
        for any number.
        """,
        "Three quarters of the streams that a process can carry.")

    static let keyStreams = caller(
        "key-streams", "calls", AdmissionLimits.openCallsPerKey,
        """
        Calls of one API key or client certificate that may be open at once; 0 for any number.
        """,
        "Half of all streams.")

    static let userStreams = caller(
        "user-streams", "calls", AdmissionLimits.openCallsPerUser,
        "Calls of one user that may be open at once; 0 for any number.",
        "Dozens of devices with some streams each.")

    static let appConnections = caller(
        "app-connections", "connections", AdmissionLimits.connectionsPerApp,
        "Connections that may show credentials of one app at once; 0 for any number.",
        "Three quarters of the server's.")

    static let keyConnections = caller(
        "key-connections", "connections", AdmissionLimits.connectionsPerKey,
        "Connections that may show one API key or client certificate at once; 0 for any number.",
        "Half of the server's.")

    static let userConnections = caller(
        "user-connections", "connections", AdmissionLimits.connectionsPerUser,
        "Connections that may show signatures of one user at once; 0 for any number.",
        "One for each device, and those that a lost network leaves behind.")

    static let addressConnections = caller(
        "address-connections", "connections", CallLimits.connectionsPerAddress,
        """
        Connections from one address, with or without a credential; 0 for any number, which a \
        server behind a balancer needs.
        """,
        "Unauthenticated callers of one address leave room for others.")

    static let addressRate = caller(
        "address-rate", "connections a second", CallLimits.connectionsPerSecondOfAddress,
        """
        Connections a second from one address; those of four seconds may come at once; 0 for any \
        number.
        """,
        "It is asked before a handshake, which costs the server more than the client.")

    // MARK: Connections and memory

    static let connectionAge = Setting(
        name: "connection-age", kind: .number(0...2_592_000), unit: "seconds", usual: .value("0"),
        help: """
            Ask clients to make a new connection after so many seconds; 0 is never. Running calls \
            may go on for ten seconds more.
            """,
        reason: "Only servers behind a balancer need it. It holds for connections made later.",
        changesAtOnce: true)

    static let connectionIdle = Setting(
        name: "connection-idle", kind: .number(0...2_592_000), unit: "seconds",
        usual: .value("\(CallLimits.connectionIdleSeconds)"),
        help: """
            Ask clients that made no call for so many seconds to disconnect; 0 is never. An open \
            stream is a call.
            """,
        reason: "Connections that are forgotten take memory and descriptors.", changesAtOnce: true)

    private static let bytesPerMiB = 1_024 * 1_024

    static let memory = Setting(
        name: "memory", kind: .number(16...1_048_576), unit: "MiB",
        usual: .value("\(CallLimits.heldBytes / bytesPerMiB)"),
        help: """
            Memory that all connections together may hold for data that comes in or goes out. \
            Above it, the connections that hold the most lose streams.
            """,
        reason: "A sixteenth of a small server's; with less, a few long calls fill it.",
        changesAtOnce: true)

    static let cacheMemory = Setting(
        name: "cache-memory", kind: .number(0...StoreMemoryLimits.mostCacheMebibytes), unit: "MiB",
        usual: .nothing("a quarter of the memory that the process may have, and 128 MiB or more"),
        help: "Memory for all that is kept of the store, so that it is not read again.",
        reason: "The rest is for calls, for the engine's new rows, and for other programs.")

    static let keptMemory = Setting(
        name: "kept-memory", kind: .number(0...StoreMemoryLimits.mostCacheMebibytes), unit: "MiB",
        usual: .nothing("half of `cache-memory`"),
        help: """
            The part of cache-memory for names, profiles and friendships of users in use; 0 keeps \
            none. The rest is for blocks of the engine's files.
            """,
        reason: "Users that are kept are found faster than the blocks that hold their rows.")

    // MARK: The log

    static let logLevel = Setting(
        name: "log-level",
        kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        usual: .value("info"),
        help: "The lowest level of messages to log.",
        reason: "At info a server logs its start, its stop, and all that needs an operator.",
        changesAtOnce: true)

    static let logFormat = Setting(
        name: "log-format", kind: .choice(["text", "json"]), usual: .value("text"),
        help: """
            The form of a line: text for people, or json, which is one object a line with the \
            metadata as fields.
            """,
        reason: "The first reader sits at a terminal.", changesAtOnce: true)

    static let slowCall = Setting(
        name: "slow-call", kind: .number(0...3_600_000), unit: "milliseconds",
        usual: .value("1000"),
        help: """
            Log a call of one request and one answer that takes longer, as a warning; 0 is never.
            """,
        reason: "Most calls take less than a thousandth of it.", changesAtOnce: true)

    static let accessLog = Setting(
        name: "access-log", kind: .choice(["off", "sampled", "all"]), usual: .value("off"),
        help: """
            Log calls as they end: none, one of access-log-sample, or all. A line has the method, \
            code, reason, app, caller, time, bytes, request id and trace id. Such lines are \
            written whatever log-level says. If the reader of the log is slow, lines are left out \
            and counted.
            """,
        reason: "A busy server makes more lines than most logs keep.", changesAtOnce: true)

    static let accessLogSample = Setting(
        name: "access-log-sample", kind: .number(1...1_000_000), unit: "calls",
        usual: .value("100"),
        help: "With access-log sampled, log one call in so many.",
        reason: "It shows which calls come, at a hundredth of the lines.", changesAtOnce: true)

    static let accessLogUsers = Setting(
        name: "access-log-users", kind: .yesOrNo, usual: .value("false"),
        help: "Name in such lines the user whose signature a call shows.",
        reason: "A log is kept longer, and read by more people, than a user may expect.",
        changesAtOnce: true)

    // MARK: Traces

    static let traceEndpoint = Setting(
        name: "trace-endpoint", kind: .collectorOrOff, usual: .value("off"),
        help: """
            The collector that gets spans of calls, by OTLP over gRPC, as http://127.0.0.1:4317; \
            https is over TLS. If it is away or slow, spans are dropped and counted, and calls go \
            on.
            """,
        reason: "Without a collector there is no use for spans.", changesAtOnce: true)

    static let traceSample = Setting(
        name: "trace-sample", kind: .sampling, usual: .value("parent"),
        help: """
            Which calls are traced. With parent, those whose traceparent says that the caller \
            keeps the trace. With a share, such as 0.01, one in a hundred, by the number of the \
            trace, whatever the caller says. With parent:0.01, the word of the caller counts \
            where there is one, and the share for the other calls.
            """,
        reason: "A trace is of use if all services on its way keep it, or none does.",
        changesAtOnce: true)

    static let traceUsers = Setting(
        name: "trace-users", kind: .yesOrNo, usual: .value("false"),
        help: "Name in spans the user whose signature a call shows.",
        reason: "As with access-log-users, more people read them than a user may expect.",
        changesAtOnce: true)

    static let traceService = Setting(
        name: "trace-service", kind: .name, usual: .value("relationd"),
        help: "The attribute service.name of the spans.",
        reason: "One collector may have several services of this kind.")

    static let traceHeaders = Setting(
        name: "trace-headers", kind: .path, usual: .nothing("no metadata"),
        help: """
            The file with metadata that the collector wants, such as a key: one `name: value` a \
            line, in lower case. An empty line, or one that begins with #, is left out.
            """,
        reason: "Other users can read the arguments of a process. SIGHUP reads the file again.",
        changesAtOnce: true)

    static let traceCA = Setting(
        name: "trace-ca", kind: .path, usual: .nothing("the authorities that the system trusts"),
        help: "The authorities that sign the collector's certificate, in PEM.",
        reason: "SIGHUP reads the file again.", changesAtOnce: true)

    static let traceTimeout = Setting(
        name: "trace-timeout", kind: .number(1...60), unit: "seconds", usual: .value("10"),
        help: "How long one attempt to send spans may take.",
        reason: "It is the usual time of OTLP.", changesAtOnce: true)

    // MARK: Backups

    static let backupFolder = Setting(
        name: "backup-folder", kind: .path, usual: .nothing("`backups` in the data folder"),
        help: """
            The folder of the backups that the server makes, each a folder named by its time. On \
            the device of the data folder a backup takes little room and time, because files are \
            linked; on another one they are copied.
            """,
        reason: """
            A backup beside the data helps against mistakes, not against the loss of the device. \
            Take it away with relationctl backup.
            """)

    static let backupEvery = Setting(
        name: "backup-every", kind: .number(0...525_600), unit: "minutes", usual: .value("0"),
        help: "Make a backup when the newest one is so many minutes old; 0 for never.",
        reason: "How much may be lost is for the operator to say. relationctl backup makes one too."
    )

    static let backupKeep = Setting(
        name: "backup-keep", kind: .number(1...1_000), unit: "backups", usual: .value("7"),
        help: "The newest backups that are kept; older ones are removed after each new one.",
        reason: "A week of daily ones. The old rows that they keep take room on the device.")

    // MARK: For one start

    static let acceptLoss = Setting(
        name: "accept-loss", kind: .yesOrNo, usual: .value("false"),
        help: """
            Start although writes that were answered are missing from the data. Use it for one \
            start. Without it, a server that finds such a loss says how much is missing and since \
            when, changes nothing and ends. With it, the log says this, and CheckIntegrity tells \
            every app until the app acknowledges the loss.
            """,
        reason: "In a file it would accept every later loss too.", sources: [.flag])

    static let noSync = Setting(
        name: "no-sync", kind: .yesOrNo, usual: .value("false"),
        help: "Do not wait for the disk when a write is committed: a power cut loses writes.",
        reason: "For tests of a single run.", sources: [.flag], isHidden: true)
}
