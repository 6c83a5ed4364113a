import Foundation

/// The targets that `Package.swift` declares, with the targets that each depends on.
struct Manifest {
    struct Target {
        let name: String
        /// The folder of its sources, or nil if it has none in Swift.
        let folder: String?
        let dependencies: Set<String>
    }

    /// The manifest of this package; read once, for all checks.
    static let package = Result {
        Manifest(try String(contentsOfFile: "\(SourceTree.root)/Package.swift", encoding: .utf8))
    }

    let targets: [Target]
    /// The targets that are the products for other packages.
    let products: [String]

    /// Reads the list of targets: each begins on a line that is indented by one step.
    init(_ text: String) {
        let list = text.components(separatedBy: "let targets: [Target] = [\n").last ?? ""
        var entries: [String] = []
        for line in list.components(separatedBy: "\n]\n")[0].components(separatedBy: "\n") {
            let begins =
                line.hasPrefix("    ") && line.dropFirst(4).first.map { $0 != " " } ?? false
            if !begins {
                if !entries.isEmpty { entries[entries.count - 1] += line }
            } else if !line.hasPrefix("    //") {
                entries.append(line)
            }
        }
        let found = entries.map { ($0, Self.literals(in: $0)) }.filter { !$0.1.isEmpty }
        let names = Set(found.map { $0.1[0] })
        targets = found.map { entry, literals in
            Target(
                name: literals[0], folder: Self.folder(entry, literals),
                dependencies: names.intersection(literals.dropFirst()).subtracting([literals[0]]))
        }
        let offered = text.components(separatedBy: "    products: ").dropFirst().first ?? ""
        products = Self.literals(in: offered.components(separatedBy: ".map")[0])
    }

    private static func literals(in entry: String) -> [String] {
        let parts = entry.components(separatedBy: "\"")
        return parts.indices.filter { $0 % 2 == 1 }.map { parts[$0] }
    }

    private static func folder(_ entry: String, _ literals: [String]) -> String? {
        switch entry.prefix(while: { $0 != "(" }).trimmingCharacters(in: .whitespaces) {
        case "library", "executable": "Sources/\(literals[0])"
        case "tests", "support": "Tests/\(literals[0])"
        case "tool": "Tests/\(literals[1])"
        case "example": "Examples/\(literals[1])"
        case ".executableTarget": literals.first { $0.hasPrefix("Benchmarks/") }
        default: nil
        }
    }

    /// The target that a file belongs to.
    func target(of file: SourceFile) -> Target? {
        targets.filter { target in target.folder.map { file.path.hasPrefix($0 + "/") } ?? false }
            .max { ($0.folder ?? "").count < ($1.folder ?? "").count }
    }

    /// The names of these targets, and of all that they are built with.
    func closure(of names: [String]) -> Set<String> {
        var found: Set<String> = []
        var open = names
        while let name = open.popLast() {
            guard found.insert(name).inserted else { continue }
            open += targets.first { $0.name == name }?.dependencies ?? []
        }
        return found
    }

    /// The targets whose sources are below `Sources` or `Benchmarks`.
    var sourceTargets: [Target] {
        targets.filter {
            $0.folder.map { $0.hasPrefix("Sources/") || $0.hasPrefix("Benchmarks/") } ?? false
        }
    }

    /// From each target to the targets that it imports, without those that another one of them
    /// reaches.
    var picture: [String: Set<String>] {
        let names = Set(sourceTargets.map(\.name))
        let edges = Dictionary(
            uniqueKeysWithValues: sourceTargets.map {
                ($0.name, $0.dependencies.intersection(names))
            })
        func reach(_ name: String) -> Set<String> {
            (edges[name] ?? []).reduce(into: []) { $0.formUnion(reach($1).union([$1])) }
        }
        return edges.mapValues { targets in
            targets.filter { one in !targets.contains { $0 != one && reach($0).contains(one) } }
        }
    }
}
