/// Which target may import what: the dependencies that `Package.swift` declares of it, and the
/// modules from outside the project that are listed here.
enum ImportRules {
    /// For each C library, the one room that may import it.
    static let doors: [String: String] = [
        "CArguments": "Invocation",
        "CBacktrace": "Endings",
        "CICU": "Collation",
        "CNghttp2": "HTTP2",
        "COpenSSL": "Digests",
        "CPostgres": "StoragePostgres",
        "CProtobufC": "Protobuf",
        "CRelease": "Release",
        "CRocksDB": "StorageRocks",
        "CZlib": "Compression",
    ]

    /// The modules from outside the project that a room may import.
    ///
    /// Foundation is not among them: it costs start-up time and memory, and the rooms do without
    /// it. The client has its essentials, which ArgumentParser links anyway, for the protocol by
    /// which errors have a `localizedDescription`.
    static let outside: [String: Set<String>] = [
        "relationd": [
            "ArgumentParser", "Dispatch", "Glibc", "Logging", "Synchronization", "Yams",
        ],
        "relationctl": ["ArgumentParser", "Dispatch", "Glibc", "Synchronization"],
        "relationbench": [
            "ArgumentParser", "Dispatch", "Glibc", "Logging", "NIOCore", "NIOEmbedded",
            "Synchronization",
        ],
        "Backups": ["Glibc"],
        "RelationAdmission": ["Synchronization"],
        "RelationCalls": ["Glibc"],
        "RelationChanges": ["Synchronization"],
        "RelationRuntime": ["Dispatch", "Glibc", "Logging", "Synchronization"],
        "RelationService": ["Dispatch", "Glibc", "Logging", "Synchronization"],
        "RelationClient": [
            "CoreMetrics", "FoundationEssentials", "Logging", "Synchronization", "Tracing",
        ],
        "StorageRocks": ["Dispatch", "Glibc", "Synchronization"],
        "StoragePostgres": ["Dispatch", "Glibc", "Synchronization"],
        "Traces": ["Glibc", "Logging", "Synchronization"],
        "Storage": ["Glibc", "Synchronization"],
        "GRPC": [
            "Glibc", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
            "Synchronization",
        ],
        "HTTP2": ["Glibc"],
        "Meters": ["Synchronization"],
        "AdminEndpoints": ["Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "Synchronization"],
        "Collation": ["Synchronization"],
        "Support": ["Glibc", "Synchronization"],
        "Endings": ["Glibc", "Synchronization"],
        "TextFiles": ["Glibc", "Synchronization"],
        "RelationCore": ["Synchronization"],
        "Protobuf": ["Glibc", "Synchronization"],
    ]

    /// The imports of a file that its target does not declare.
    static func findings(in file: SourceFile, _ manifest: Manifest) -> [Finding] {
        guard let target = manifest.target(of: file) else {
            return [Finding(file, 1, "a source outside a target")]
        }
        let names = Set(manifest.targets.map { module(of: $0.name) })
        let declared = Set(target.dependencies.map(module))
        // Tests and examples may import anything from outside.
        let outside =
            manifest.rooms.contains { $0.name == target.name }
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
