import ArgumentParser
import GRPCWire
import Migrations

struct ProxyTIM: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tim",
        abstract: "Stand between a back end and TIM, and ask an app here the same.",
        discussion: """
            Each request is answered by TIM, and then made here too, with the same signature. So \
            the app here needs the SDKAppID and the SecretKey of the app at TIM, and must have \
            switched TIM's REST API on. Nothing that this service does delays an answer: requests \
            that find no room to wait for it are left out, and counted. Each difference is \
            reported by the command, the user and the field. A write that TIM refuses is not made \
            here. Signatures are never reported.

            It serves HTTP/1.1 without encryption, so it belongs on the machine of the back end.
            """)

    @Option(help: "The host of TIM's REST API, which answers.")
    var host = "https://console.tim.qq.com"

    @Option(help: "The address of this service, as http://HOST:PORT or https://HOST:PORT.")
    var with: String

    @Option(help: "Where to listen, as HOST:PORT; a port of 0 takes a free one.")
    var listen = "127.0.0.1:7460"

    @Option(help: "How long TIM may take to answer, in seconds.")
    var answerWithin = MigrationLimits.answerSeconds

    @Flag(help: "Ask this service only what changes nothing.")
    var readsOnly = false

    @Option(help: "Write what differs into this file, as JSON lines.", completion: .file())
    var report: String?

    @Option(help: "How often the counts are reported, in seconds.")
    var every = 60

    func validate() throws {
        try HostOption.origin("--host", host)
        try HostOption.origin("--with", with)
        try listener()
        guard (1...Limits.proxyPeriodSeconds).contains(every) else {
            throw ValidationError("--every takes 1 to \(Limits.proxyPeriodSeconds)")
        }
        guard (1...MigrationLimits.longestAnswerSeconds).contains(answerWithin) else {
            throw ValidationError(
                "--answer-within takes 1 to \(MigrationLimits.longestAnswerSeconds)")
        }
        if let report { try NamedFiles.mustBeFile("--report", report) }
    }

    /// The address to listen at.
    @discardableResult
    private func listener() throws -> PostOrigin {
        guard !listen.contains("/"), listen.contains(":") else {
            throw ValidationError("--listen \(listen): must be HOST:PORT")
        }
        return try HostOption.origin("--listen", "http://" + listen, allowsZero: true)
    }

    func run() async throws {
        let proxyReport = ProxyReport(try MigrationReport(report, isGoingOn: true, "differs"))
        let proxy: TIMProxy
        let (old, new) = (
            try HostOption.origin("--host", host), try HostOption.origin("--with", with)
        )
        let address = try listener()
        do throws(MigrationError) {
            proxy = try TIMProxy(
                old, new, asksReadsAlone: readsOnly,
                answerSeconds: answerWithin
            ) { await proxyReport.add($0) }
        } catch {
            throw Failure("\(error.description)", .misuse)
        }
        OpenFiles.raise(to: Limits.proxyFiles)
        let listener: ProxyListener
        do {
            listener = try await ProxyListener(proxy, host: address.host, port: address.port)
        } catch {
            throw Failure("\(listen): \(PlainError(error).description)")
        }
        _ = try StandardOutput.print("listening on \(address.host):\(listener.port)")
        let every = every
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await proxy.compare() }
            group.addTask { await Self.showCounts(of: proxy, proxyReport, every: every) }
        }
    }

    /// Tells the counts as often as asked, if they changed.
    private static func showCounts(
        of proxy: TIMProxy, _ proxyReport: ProxyReport, every: Int
    ) async {
        var shown = ProxyCounts()
        while (try? await Task.sleep(for: .seconds(every))) != nil {
            let counts = proxy.counts
            guard counts != shown else { continue }
            shown = counts
            StandardError.print(
                """
                proxy: \(counts.requests) requests, \(counts.unanswered) without an answer of TIM; \
                \(counts.compared) compared, \(counts.different) differ, \(counts.unasked) not \
                asked here, \(counts.silent) without an answer here, \(counts.refused) writes that \
                TIM refused
                """)
            await proxyReport.explain()
        }
    }
}

/// The differences that a proxy finds, from all its tasks.
private actor ProxyReport {
    private var report: MigrationReport

    init(_ report: sending MigrationReport) {
        self.report = report
    }

    func add(_ differences: [MigrationLoss]) {
        do {
            try report.add(differences)
        } catch {
            // The back end's answers matter more than a full disk: what differs is still counted.
            StandardError.print("proxy: \(PlainError(error).description)")
        }
    }

    func explain() {
        report.explain()
    }
}
