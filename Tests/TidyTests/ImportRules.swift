/// Which room may import what: the picture of the rooms in `ARCHITECTURE.md`, as a table.
enum ImportRules {
    /// From each room to the rooms below it; a room may also import the rooms that those reach.
    static let arrows: [String: Set<String>] = [
        "relationd": [
            "RelationService", "RelationAccess", "StorageRocks", "StoragePostgres", "Backups",
            "OperatorPages", "RelationConsole", "Traces", "Endings", "Invocation", "Release",
        ],
        "relationctl": [
            "RelationClient", "ContractText", "Backups", "Endings", "Invocation", "Release",
        ],
        "RelationConsole": ["OperatorPages", "ContractText"],
        "ContractText": [],
        "relationbench": ["RelationClient", "RelationService", "StorageRocks", "Traces"],
        "RelationService": ["RelationChanges"],
        "RelationChanges": ["RelationRuntime"],
        "Traces": ["RelationRuntime"],
        "RelationRuntime": ["RelationAdmission"],
        "RelationAdmission": ["RelationCalls", "RelationAccess"],
        "RelationCalls": ["GRPC", "RelationAPI", "RelationCore"],
        "RelationAccess": ["Protobuf", "RelationModel", "Compression"],
        "RelationClient": ["GRPC", "RelationAPI", "Release"],
        "RelationCore": ["Storage", "RelationModel", "Collation"],
        "RelationAPI": ["Protobuf", "RelationModel"],
        "RelationModel": ["Protobuf"],
        "StorageRocks": ["Storage"],
        "StoragePostgres": ["Storage"],
        "Storage": ["Backups"],
        "Backups": ["Protobuf"],
        "OperatorPages": ["GRPC"],
        "GRPC": ["HTTP2", "Protobuf", "Compression", "Meters", "TextFiles"],
        "Meters": [],
        "HTTP2": [],
        "Collation": [],
        "Compression": [],
        "Protobuf": [],
        "Endings": [],
        "Invocation": [],
        "Release": [],
        "TextFiles": [],
    ]

    /// For each C library, the one room that may import it.
    static let doors: [String: String] = [
        "CArguments": "Invocation",
        "CBacktrace": "Endings",
        "CICU": "Collation",
        "CNghttp2": "HTTP2",
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
        "Backups": ["Crypto", "Glibc"],
        "RelationAccess": ["Crypto"],
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
            "Crypto", "Glibc", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS",
            "Synchronization",
        ],
        "HTTP2": ["Glibc"],
        "Meters": ["Synchronization"],
        "OperatorPages": ["Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "Synchronization"],
        "Collation": ["Synchronization"],
        "Endings": ["Glibc", "Synchronization"],
        "TextFiles": ["Glibc", "Synchronization"],
        "RelationCore": ["Synchronization"],
        "Protobuf": ["Glibc", "Synchronization"],
    ]

    /// The rooms that `room` reaches by its arrows.
    static func reach(of room: String) -> Set<String> {
        var reached: Set<String> = []
        var open = Array(arrows[room] ?? [])
        while let next = open.popLast() {
            if reached.insert(next).inserted { open += arrows[next] ?? [] }
        }
        return reached
    }

    static func findings(in file: SourceFile) -> [Finding] {
        guard let room = file.room else { return [Finding(file, 1, "a source outside a room")] }
        guard arrows[room] != nil else { return [Finding(file, 1, "room \(room) has no arrows")] }
        let doorways = doors.filter { $0.value == room }.map(\.key)
        let allowed = reach(of: room).union(doorways).union(outside[room] ?? [])
        return imports(of: file).filter { !allowed.contains($0.module) }
            .map { Finding(file, $0.line, "\(room) may not import \($0.module)") }
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
