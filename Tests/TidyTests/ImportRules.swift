/// Which target may import what: the dependencies that `Package.swift` declares of it, and the
/// modules from outside the project that are listed here.
enum ImportRules {
    /// For each C library, the one target that may import it.
    static let libraries: [String: String] = [
        "CArguments": "Invocation",
        "CBacktrace": "Endings",
        "CConsole": "RelationConsole",
        "CContractText": "ContractText",
        "CDescriptors": "RelationService",
        "CICU": "Collation",
        "CNghttp2": "HTTP2",
        "COpenSSL": "Digests",
        "CPostgres": "StoragePostgres",
        "CProtobufC": "Protobuf",
        "CRelease": "Release",
        "CRocksDB": "StorageRocks",
        "CZlib": "Compression",
    ]

    /// The modules from outside the project that a target may import.
    ///
    /// Foundation is not among them: it costs start-up time and memory, and the targets do without
    /// it. The client has its essentials, which ArgumentParser links anyway, for the protocol by
    /// which errors have a `localizedDescription`.
    static let outside: [String: Set<String>] = [
        "relationd": [
            "ArgumentParser", "Dispatch", "Glibc", "Logging", "Synchronization", "Yams",
        ],
        "relationctl": ["ArgumentParser", "Glibc", "Synchronization"],
        "relationbench": [
            "ArgumentParser", "Dispatch", "Glibc", "Logging", "NIOCore", "NIOEmbedded",
            "Synchronization",
        ],
        "Backups": ["Glibc"],
        "RelationAdmission": ["Synchronization"],
        "RelationChanges": ["Synchronization"],
        "RelationHooks": ["Dispatch", "Logging", "Synchronization"],
        "RelationRuntime": ["Dispatch", "Glibc", "Logging", "Synchronization"],
        "RelationService": ["Dispatch", "Glibc", "Logging", "Synchronization"],
        "RelationClient": [
            "CoreMetrics", "FoundationEssentials", "Logging", "NIOCore", "Synchronization",
            "Tracing",
        ],
        "RelationClientTesting": ["Synchronization"],
        "StorageRocks": ["Dispatch", "Glibc", "Synchronization"],
        "StoragePostgres": ["Dispatch", "Glibc", "Synchronization"],
        "Migrations": ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Synchronization"],
        "TIMGateway": ["Synchronization"],
        "Traces": ["Logging", "Synchronization"],
        "Webhooks": [
            "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS", "Synchronization",
        ],
        "Storage": ["Glibc", "Synchronization"],
        "GRPC": [
            "Glibc", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
            "Synchronization",
        ],
        "GRPCClient": [
            "Glibc", "Logging", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS", "Synchronization",
        ],
        "GRPCWire": ["Glibc", "Logging", "NIOCore", "NIOPosix", "NIOSSL", "Synchronization"],
        "HTTP2": ["Glibc"],
        "Meters": ["Synchronization"],
        "AdminEndpoints": ["Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "Synchronization"],
        "Collation": ["Synchronization"],
        "Support": ["Glibc", "Synchronization"],
        "Endings": ["Glibc", "Synchronization"],
        "Invocation": ["Glibc"],
        "TextFiles": ["Glibc", "Synchronization"],
        "RelationCore": ["Synchronization"],
        "Protobuf": ["Synchronization"],
        "Memory": ["Glibc", "Synchronization"],
        "RPC": ["Glibc"],
    ]

    /// The targets that a program builds which depends on the client: none is of the server.
    static let targetsOfClient: Set = [
        "CNghttp2", "CProtobufC", "CRelease", "CZlib", "Compression", "GRPCClient", "GRPCWire",
        "HTTP2", "Memory", "Protobuf", "RPC", "RelationAPI", "RelationClient",
        "RelationClientTesting", "RelationModel", "Release", "TextFiles",
    ]

    /// The modules from other packages that these targets import.
    ///
    /// NIOSSL brings the only BoringSSL. Without NIOHTTP1, no parser of HTTP/1.1 is built.
    static let packagesOfClient: Set = [
        "CoreMetrics", "Logging", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS", "Tracing",
    ]

    /// The modules that come with the compiler or the C library.
    static let toolchain: Set = ["Dispatch", "FoundationEssentials", "Glibc", "Synchronization"]

    /// The names by which code says where a row of the store stands.
    static let rowPlaces: Set = [
        "KeyRange", "KeyView", "OnlyKey", "Partition", "StagedKeys", "Table", "Tables",
    ]

    /// The targets that may say where a row stands: the rules, the engines, and the benchmarks of
    /// both.
    ///
    /// All others ask the rules.
    static let targetsOfRows: Set = [
        "RelationCore", "Storage", "StoragePostgres", "StorageRocks", "relationbench",
    ]

    /// The files of other targets that say it all the same: they read the log of changes or the
    /// state of imports, or copy a store or an app.
    static let readersOfRows: Set = [
        "Sources/RelationChanges/Watch/FeedFollower.swift",
        "Sources/RelationChanges/Watch/FollowedUsers.swift",
        "Sources/RelationChanges/Watch/MissedEvents.swift",
        "Sources/RelationChanges/Watch/WatchCore.swift",
        "Sources/RelationRuntime/Move/MovePiece.swift",
        "Sources/RelationService/Imports/ImportJob.swift",
        "Sources/relationd/Store/StoreCopy.swift",
    ]

    /// The files outside of the rules and the engines that say where a row of the store stands.
    static func namingRows(_ files: [SourceFile]) -> Set<String> {
        let naming = files.filter { file in
            guard let target = file.target, !targetsOfRows.contains(target),
                imports(of: file).contains(where: { $0.module == "Storage" })
            else { return false }
            return file.tokens.contains { rowPlaces.contains($0.text) }
        }
        return Set(naming.map(\.path))
    }

    /// The targets of the handlers, which know the store by the names that the rules have for it.
    static let targetsOfHandlers: Set = ["RelationCalls", "RelationService"]

    /// The files of these targets that import the store all the same, each with its reason.
    static let handlersOfTheStore: [String: String] = [
        "Sources/RelationService/Backup/BackupHandlers.swift":
            "a backup is made and read by the engine, below all rules",
        "Sources/RelationService/Call/ServedRead.swift":
            "it reads no further than memory, and asks a reader after that",
        "Sources/RelationService/Call/StandbyReads.swift":
            "it asks the store's standbys before the store",
        "Sources/RelationService/Fleet/Fleet.swift":
            "it leads each call to the store of its app",
        "Sources/RelationService/Fleet/FleetMember.swift":
            "it opens a store, and closes it",
        "Sources/RelationService/Fleet/FleetOffer.swift":
            "it has the ways to the stores of a fleet",
        "Sources/RelationService/Fleet/FleetStores.swift":
            "it lets a call read several stores",
        "Sources/RelationService/Imports/ImportJob.swift":
            "it commits the rows of a stream in slices of its own",
        "Sources/RelationService/Imports/ImportStream.swift":
            "it tells a commit whose outcome is unknown from one that failed",
        "Sources/RelationService/Maintenance/MaintenanceHandlers.swift":
            "GetStats answers how large the engine is",
        "Sources/RelationService/Metrics/MetricText+Storage.swift":
            "metrics show the engine's own numbers",
        "Sources/RelationService/PeerSync.swift":
            "it gives what other servers send through the store to those who wait for it",
        "Sources/RelationService/RelationServer.swift":
            "it is given the store, and makes the parts of a fleet for others",
        "Sources/RelationService/Router.swift":
            "it gives the store to the methods, and says how far their reads may go",
        "Sources/RelationService/StoreService.swift":
            "it is given the store, and looks whether it has peers and backups",
    ]

    /// The files of handlers that import the store.
    static func importingTheStore(_ files: [SourceFile]) -> Set<String> {
        let importing = files.filter { file in
            targetsOfHandlers.contains(file.target ?? "")
                && imports(of: file).contains { $0.module == "Storage" }
        }
        return Set(importing.map(\.path))
    }

    /// The modules from outside that a target may import, and none of its files does.
    static func unusedOutside(_ files: [SourceFile]) -> [String] {
        var imported: [String: Set<String>] = [:]
        for file in files {
            imported[file.target ?? "", default: []].formUnion(imports(of: file).map(\.module))
        }
        return outside.flatMap { target, modules in
            modules.subtracting(imported[target] ?? []).map { "\(target) does not import \($0)" }
        }.sorted()
    }

    /// The examples that a reader copies into a package, or that are a package of their own.
    private static let alone: Set = [
        "Examples/Testing/Swift/FriendsTests.swift", "Examples/Testing/Swift/RelationDemo.swift",
        "Examples/Veto/Swift/Package.swift", "Examples/Veto/Swift/Sources/Signature.swift",
        "Examples/Veto/Swift/Sources/main.swift",
    ]

    /// The imports of a file that its target does not declare.
    static func findings(in file: SourceFile, _ manifest: Manifest) -> [Finding] {
        guard let target = manifest.target(of: file) else {
            return alone.contains(file.path) ? [] : [Finding(file, 1, "a source outside a target")]
        }
        let names = Set(manifest.targets.map { module(of: $0.name) })
        let declared = Set(target.dependencies.map(module))
        // Tests and examples may import anything from outside.
        let outside =
            manifest.sourceTargets.contains { $0.name == target.name }
            ? self.outside[target.name] ?? [] : nil
        return imports(of: file).compactMap { name, line in
            guard !declared.contains(name) else { return nil }
            if let outside {
                guard !outside.contains(name) else { return nil }
            } else {
                guard names.contains(name) else { return nil }
            }
            return Finding(file, line, "\(target.name) does not declare \(name)")
        }
    }

    /// The dependencies that a target declares, and none of its files imports.
    static func unused(_ manifest: Manifest, _ files: [SourceFile]) -> [String] {
        var imported: [String: Set<String>] = [:]
        for file in files {
            guard let target = manifest.target(of: file) else { continue }
            imported[target.name, default: []].formUnion(imports(of: file).map(\.module))
        }
        return manifest.targets.filter { $0.folder != nil }.flatMap { target in
            target.dependencies.filter { imported[target.name]?.contains(module(of: $0)) != true }
                .map { "\(target.name) declares \($0), and imports it nowhere" }
        }.sorted()
    }

    private static func module(of target: String) -> String {
        String(target.map { $0 == "-" ? "_" : $0 })
    }

    /// The modules that a file imports, with or without attributes and access on the lines.
    static func imports(of file: SourceFile) -> [(module: String, line: Int)] {
        let kinds: Set = [
            "struct", "class", "enum", "protocol", "typealias", "func", "var", "let",
        ]
        let tokens = file.tokens
        return tokens.indices.compactMap { index in
            guard tokens[index].text == "import" else { return nil }
            let rest = tokens[(index + 1)...].prefix { $0.line == tokens[index].line }
            let module = rest.first { !kinds.contains($0.text) }
            return module.map { ($0.text, $0.line) }
        }
    }
}
