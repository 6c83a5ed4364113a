// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of every target.
///
/// A warning is an error only where changes are checked (CI): elsewhere another compiler may warn
/// of more.
let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (Context.environment["CI"] == "true" ? [.treatAllWarnings(as: .error)] : [])

/// The version of the programs and of the client: this line is the only place that says it.
///
/// A release is the tag `v` and the version. `RELATION_VERSION` builds under another one, which
/// only tests of an upgrade need.
let version = Context.environment["RELATION_VERSION"] ?? "0.1.0"

/// The tests that a build with sanitizers names, so that it builds nothing else: everything that is
/// built is instrumented.
let chosenTests = Context.environment["RELATION_TESTS"]?.split(separator: ",").map(String.init)

/// The setting with which libFuzzer is linked in, which calls the targets of `FuzzTests`.
let fuzzing: [SwiftSetting] =
    Context.environment["RELATION_FUZZER"] == "1" ? [.define("LIBFUZZER")] : []

/// The target that a build with ThreadSanitizer has beside its tests.
let raceShim: [Target] =
    Context.environment["RELATION_TSAN"] == "1"
    ? [.target(name: "RaceShim", path: "Tests/RaceShim")] : []

let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOTLS"].map {
    .product(name: $0, package: "swift-nio")
}
let tracing = Target.Dependency.product(
    name: "Tracing", package: "swift-distributed-tracing")

/// A library target that other targets import.
func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func executable(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// CI builds the tests together with the optimised programs, and they need no optimiser themselves.
///
/// Without it, the compiler would make the module's interface in a process of its own, which reads
/// all files once more.
let unoptimized: [SwiftSetting] =
    Context.environment["RELATION_BUILD"] == "once"
    ? [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])] : []

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    settings more: [SwiftSetting] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: settings + unoptimized + more)
}

/// A library that tests share, in a folder beside them.
///
/// - Parameter isFast: Whether it is optimised as the programs are.
func support(
    _ name: String, _ dependencies: [Target.Dependency], isFast: Bool = false
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/\(name)",
        swiftSettings: isFast ? settings : settings + unoptimized)
}

/// An executable that tests run; it is not shipped.
func tool(
    _ name: String, _ folder: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/\(folder)", exclude: exclude,
        swiftSettings: settings + unoptimized)
}

/// A program that a newcomer copies; it is not shipped.
func example(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Examples/\(folder)",
        swiftSettings: settings + unoptimized)
}

func cLibrary(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

let targets: [Target] = [
    // C
    .systemLibrary(name: "CBacktrace"),
    cLibrary("CICU", pkgConfig: "icu-i18n", package: "libicu-dev"),
    cLibrary("CNghttp2", pkgConfig: "libnghttp2", package: "libnghttp2-dev"),
    cLibrary("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
    cLibrary("CPostgres", pkgConfig: "libpq", package: "libpq-dev"),
    cLibrary("CProtobufC", pkgConfig: "libprotobuf-c", package: "libprotobuf-c-dev"),
    cLibrary("CRocksDB", pkgConfig: "rocksdb", package: "librocksdb-dev"),
    cLibrary("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),

    .target(
        name: "CRelease",
        cSettings: [.define("RELATION_VERSION", to: "\"\(version)\"")]),

    .target(name: "CArguments"),

    // Files, which the compiler of C copies into the program.
    .target(name: "CConsole"),
    .target(name: "CContractText"),
    .target(name: "CDescriptors"),

    // Ground
    library("Support"),
    library("Release", ["CRelease"]),
    library("Invocation", ["CArguments"]),
    library("TextFiles"),
    library("Endings", ["CBacktrace"]),
    library("Meters"),
    library("Memory"),
    library("Protobuf", ["CProtobufC", "Memory"]),
    library("HTTP2", ["CNghttp2", "Memory"]),
    library("Collation", ["CICU"]),
    library("Compression", ["CZlib"]),
    library("Digests", ["COpenSSL"]),
    library("Backups", ["Support", "Memory", "Protobuf", "Digests"]),

    // Other systems
    library(
        "Migrations",
        [
            "Support", "TextFiles", "Memory", "Protobuf", "Compression", "Digests",
            "RelationModel", "RelationAPI", nioHTTP1, nioSSL,
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ]),

    // Call layer
    library("RPC", ["Memory", "HTTP2"]),
    library(
        "GRPCWire",
        [
            "TextFiles", "Memory", "Protobuf", "HTTP2", "Compression", "RPC", logging, nioSSL,
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ]),
    library(
        "GRPCClient",
        ["Memory", "Protobuf", "HTTP2", "RPC", "GRPCWire", logging, nioSSL] + nio),
    library(
        "GRPC",
        [
            "Support", "Meters", "Memory", "Protobuf", "HTTP2", "Digests", "RPC", "GRPCWire",
            logging, nioSSL, nioHTTP1,
        ] + nio),

    library(
        "Webhooks",
        [
            "Support", "Memory", "Protobuf", "Digests", "RPC", "GRPCClient", "GRPCWire", nioHTTP1,
            nioSSL,
        ] + nio),

    // Storage
    library("Storage", ["Support", "Memory", "Protobuf", "Backups"]),
    library("StorageRocks", ["CRocksDB", "Support", "Memory", "Protobuf", "Backups", "Storage"]),
    library("StoragePostgres", ["CPostgres", "Support", "Memory", "Protobuf", "Storage"]),

    // Relation
    library("RelationModel", ["Memory", "Protobuf"]),
    library("RelationAPI", ["Memory", "Protobuf", "RelationModel"]),
    library(
        "RelationCore",
        [
            "Support", "Memory", "Protobuf", "Collation", "Digests", "Backups", "Storage",
            "RelationModel",
        ]),

    library("RelationAccess", ["Memory", "Protobuf", "Compression", "Digests", "RelationModel"]),

    // Calls
    library(
        "RelationCalls",
        [
            "Support", "Memory", "Protobuf", "RPC", "GRPC", "GRPCWire", "RelationModel",
            "RelationAPI", "RelationCore",
        ]),
    library(
        "RelationAdmission",
        [
            "Memory", "Protobuf", "Compression", "RPC", "GRPC", "Storage", "RelationModel",
            "RelationAPI", "RelationCore", "RelationAccess", "RelationCalls",
        ]),
    library(
        "RelationRuntime",
        [
            "Support", "Meters", "Memory", "Protobuf", "RPC", "GRPC", "GRPCWire", "Storage",
            "RelationModel", "RelationCore", "RelationCalls", "RelationAdmission", logging,
        ]),
    library(
        "RelationChanges",
        [
            "Meters", "Memory", "Protobuf", "RPC", "GRPC", "GRPCWire", "Storage", "RelationModel",
            "RelationAPI", "RelationCore", "RelationCalls", "RelationAdmission", "RelationRuntime",
        ]),

    library(
        "RelationHooks",
        [
            "Support", "Memory", "Protobuf", "RPC", "Webhooks", "Storage", "RelationModel",
            "RelationAPI", "RelationCore", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationChanges", logging,
        ]),

    // Offered
    library(
        "TIMGateway",
        [
            "Memory", "Protobuf", "RPC", "GRPC", "RelationModel", "RelationAPI", "RelationCore",
            "RelationAccess", "RelationCalls", "RelationAdmission",
        ]),
    library(
        "RelationService",
        [
            "Support", "Meters", "Memory", "Protobuf", "Digests", "RPC", "GRPC", "GRPCWire",
            "Storage", "RelationModel", "RelationAPI", "RelationCore", "RelationAccess",
            "RelationCalls",
            "RelationAdmission", "RelationRuntime", "RelationChanges", "RelationHooks",
            "TIMGateway", logging, "CDescriptors",
        ],
        exclude: ["relation.binpb"]),
    library(
        "Traces",
        [
            "Support", "Memory", "Protobuf", "RPC", "GRPC", "GRPCClient", "GRPCWire",
            "RelationCore", "RelationAdmission",
            "RelationRuntime", logging,
        ]),
    library(
        "AdminEndpoints",
        [
            "Support", "Meters", "Compression", "RPC", "GRPC", "GRPCWire", nioHTTP1,
            .product(name: "NIOPosix", package: "swift-nio"),
        ]),
    library("ContractText", ["CContractText", "Compression"], exclude: ["contract.zz"]),
    library(
        "RelationConsole", ["CConsole", "AdminEndpoints", "ContractText"],
        exclude: ["browser.d.ts", "types.d.ts", "tsconfig.json", "Files", "Reference"]),
    library(
        "RelationClient",
        [
            "Release", "Memory", "Protobuf", "RPC", "GRPCClient", "GRPCWire", "RelationModel",
            "RelationAPI", logging,
            metrics, tracing, .product(name: "NIOCore", package: "swift-nio"),
        ]),

    library("RelationClientTesting", ["RelationClient"]),

    // Executables
    executable(
        "relationd",
        [
            "Support", "Release", "Invocation", "TextFiles", "Endings", "Meters", "Memory",
            "Protobuf", "Backups", "RPC", "GRPC", "GRPCClient", "GRPCWire", "Storage",
            "StorageRocks", "StoragePostgres",
            "RelationModel", "RelationAPI", "RelationCore", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationHooks", "RelationService", "Webhooks", "Traces",
            "RelationClient", "AdminEndpoints", "ContractText", "RelationConsole", argumentParser,
            logging, yams,
        ]),
    executable(
        "relationctl",
        [
            "Support", "Release", "Invocation", "TextFiles", "Endings", "Memory", "Protobuf",
            "Digests", "Backups", "GRPCWire", "RelationModel", "RelationAPI", "ContractText",
            "RelationClient", "Migrations", argumentParser,
        ]),

    // Benchmarks
    .executableTarget(
        name: "relationbench",
        dependencies: [
            "Memory", "Protobuf", "HTTP2", "RPC", "GRPC", "GRPCClient", "GRPCWire", "Storage",
            "StorageRocks",
            "RelationModel", "RelationAPI", "RelationCore", "RelationAccess", "RelationCalls",
            "RelationAdmission", "RelationRuntime", "RelationChanges", "RelationService", "Traces",
            "RelationClient", argumentParser, logging,
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ], path: "Benchmarks/relationbench", swiftSettings: settings),

    // Examples
    example("example-chat", "Chat", ["RelationClient"]),
    example("example-swift", "Swift", ["RelationClient"]),

    // Tests
    support("StorageSuite", ["Memory", "Protobuf", "Storage"]),
    support(
        "RelationSuite",
        ["Memory", "Protobuf", "Storage", "RelationModel", "RelationCore", "StorageSuite"]),
    support("PostgresSupport", ["Storage", "StoragePostgres", "StorageSuite"]),
    support("ProtobufWitness", ["Memory", "Protobuf"]),
    support("PeerSupport", ["HTTP2"]),
    .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
    support("PythonSupport", ["CSpawn"]),
    support("EchoSupport", ["Memory", "Protobuf", "RPC", "GRPC", "GRPCWire"]),
    support("InteropContract", ["Protobuf"]),
    tool(
        "relation-interop", "RelationInterop",
        [
            "Memory", "Protobuf", "RPC", "GRPC", "GRPCWire", "InteropContract", argumentParser,
            logging,
        ]),
    tool(
        "relation-interop-client", "RelationInteropClient",
        ["Memory", "Protobuf", "RPC", "GRPCClient", "GRPCWire", "InteropContract", argumentParser]),
    tool(
        "contract-runner", "Contract/swift", ["RelationClient"],
        exclude: ["Makefile", "README.md"]),
    tests("SupportTests", ["Support"]),
    tests("EndingsTests", ["Endings"]),
    tests("InvocationTests", ["Invocation"]),
    tests("TextFilesTests", ["TextFiles"]),
    tests("MemoryTests", ["Memory"]),
    tests(
        "ProtobufTests", ["Memory", "Protobuf", "ProtobufWitness", "PythonSupport"],
        exclude: ["proto"]),
    tests("HTTP2Tests", ["CNghttp2", "Memory", "HTTP2", "PeerSupport"]),
    tests("CollationTests", ["Collation"]),
    tests("CompressionTests", ["Compression"]),
    tests(
        "GRPCTests",
        [
            "Meters", "Memory", "Protobuf", "HTTP2", "Compression", "RPC", "GRPC", "GRPCClient",
            "GRPCWire", "PeerSupport",
            "PythonSupport", "EchoSupport", logging, nioSSL,
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ] + nio, exclude: ["Harness/Python"]),
    tests("MetersTests", ["Meters"]),
    tests(
        "AdminEndpointsTests",
        [
            "Support", "Meters", "Compression", "GRPC", "AdminEndpoints", nioHTTP1,
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ] + nio),
    tests("RelationConsoleTests", ["RelationConsole"]),
    tests(
        "TracesTests",
        [
            "Memory", "Protobuf", "RPC", "GRPC", "GRPCWire", "RelationModel", "RelationCore",
            "RelationCalls",
            "RelationAdmission", "Traces", "PeerSupport", logging,
        ]),
    tests("StorageTests", ["Memory", "Protobuf", "Storage", "StorageSuite"]),
    tests("DigestsTests", ["Digests"]),
    tests("BackupsTests", ["Backups"]),
    tests(
        "MigrationsTests",
        [
            "TextFiles", "Protobuf", "Compression", "RelationModel", "RelationAPI", "Migrations",
            nioHTTP1, .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ]),
    tests(
        "WebhooksTests",
        [
            "Memory", "Webhooks", "RPC", "GRPC", "GRPCClient", "GRPCWire", "PeerSupport",
            "EchoSupport", logging, nioHTTP1,
            nioSSL,
        ] + nio),
    tests(
        "StoragePostgresTests",
        ["Storage", "StoragePostgres", "StorageSuite", "PostgresSupport"]),
    tests("StorageRocksTests", ["Storage", "StorageRocks", "StorageSuite", "Backups"]),
    tests(
        "ContractTests", ["Memory", "Protobuf", "RelationModel", "RelationAPI", "PythonSupport"]),
    tests(
        "RelationAccessTests",
        ["Memory", "Protobuf", "Compression", "Digests", "RelationModel", "RelationAccess"]),
    tests(
        "RelationHooksTests",
        [
            "Memory", "Protobuf", "RPC", "GRPC", "Storage", "Webhooks", "RelationModel",
            "RelationAPI", "RelationCore", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationChanges", "RelationHooks",
        ]),
    tests("RelationAdmissionTests", ["RelationAccess", "RelationCore", "RelationAdmission"]),
    tests(
        "RelationCoreTests",
        [
            "Memory", "Protobuf", "Storage", "RelationModel", "RelationCore", "StorageSuite",
            "RelationSuite",
        ]),
    tests(
        "RelationServiceTests",
        [
            "Support", "Meters", "Memory", "Protobuf", "HTTP2", "Compression", "Digests", "Backups",
            "RPC", "GRPC", "GRPCClient", "GRPCWire", "Storage", "StorageRocks", "StoragePostgres",
            "RelationModel", "RelationAPI",
            "RelationCore", "RelationAccess", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationChanges", "RelationService", "RelationHooks", "TIMGateway",
            "Webhooks", "StorageSuite", "RelationSuite", "PeerSupport", logging,
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ] + nio),
    tests(
        "SimulationTests",
        [
            "Storage", "StorageRocks", "StoragePostgres", "RelationModel", "RelationCore",
            "StorageSuite", "RelationSuite", "PostgresSupport",
        ]),
    tests(
        "RelationClientTests",
        [
            "Memory", "Protobuf", "HTTP2", "RPC", "GRPC", "GRPCClient", "Storage", "RelationModel",
            "RelationAPI",
            "RelationCore", "RelationAccess", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationService", "RelationClient", "RelationClientTesting",
            "ProtobufWitness", "PeerSupport", logging, tracing, metrics,
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            .product(name: "MetricsTestKit", package: "swift-metrics"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ]),
    support(
        "WholeSimulation",
        [
            "Support", "Memory", "Protobuf", "HTTP2", "GRPC", "Storage", "StoragePostgres",
            "RelationModel", "RelationAPI",
            "RelationCore", "RelationAccess", "RelationCalls", "RelationAdmission",
            "RelationRuntime", "RelationChanges", "RelationHooks", "Webhooks", "RelationService",
            "RelationClient", "StorageSuite", "PeerSupport", logging,
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ], isFast: true),
    tests("WholeSimulationTests", ["Support", "Storage", "StorageSuite", "WholeSimulation"]),
    // As the module of an application that has Swift's later modes.
    tests(
        "ClientModeTests", ["RelationClient"],
        settings: [
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .defaultIsolation(MainActor.self),
        ]),
    tests(
        "RelationBenchTests",
        [
            "Memory", "Protobuf", "HTTP2", "StorageRocks", "RelationModel", "RelationAPI",
            "PeerSupport", "relationbench", argumentParser,
        ]),
    tests(
        "FuzzTests",
        [
            "Memory", "Protobuf", "HTTP2", "Compression", "GRPC", "GRPCWire", "Storage",
            "RelationModel",
            "RelationAPI", "RelationCore", "RelationAccess", "RelationCalls", "RelationChanges",
            "RelationService", "ProtobufWitness", "PeerSupport", "EchoSupport", logging,
            .product(name: "NIOEmbedded", package: "swift-nio"),
        ] + nio, exclude: ["Corpus"], settings: fuzzing),
    tests(
        "RaceTests",
        [
            "Memory", "Protobuf", "GRPC", "Storage", "RelationModel", "RelationAPI", "RelationCore",
            "RelationAccess", "RelationCalls", "RelationAdmission", "RelationService",
            "RelationClient", "StorageSuite", logging,
        ] + raceShim.map { .target(name: $0.name) }),
    tests("TidyTests", []),
]

/// The names of `tests`, and of all targets that they depend on.
func closure(of tests: [String], in targets: [Target]) -> Set<String> {
    var found: Set<String> = []
    var open = tests
    while let name = open.popLast() {
        guard found.insert(name).inserted, let target = targets.first(where: { $0.name == name })
        else { continue }
        open += target.dependencies.compactMap { dependency in
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): name
            default: nil
            }
        }
    }
    return found
}

let chosen = chosenTests.map { closure(of: $0, in: targets) }

let package = Package(
    name: "relation-chain",
    products: chosen == nil
        ? ["RelationClient", "RelationClientTesting"].map { .library(name: $0, targets: [$0]) }
        : [],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: (targets + raceShim).filter { chosen?.contains($0.name) ?? true }
)
