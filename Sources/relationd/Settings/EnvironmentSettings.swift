import Glibc
import Invocation

/// The variables of the process that are settings, or look like them.
struct EnvironmentSettings {
    private(set) var given: [GivenSetting] = []
    /// Variables with the prefix of settings that are none.
    private(set) var unknown: [String] = []

    init(_ lines: [String] = EnvironmentSettings.lines()) {
        for line in lines where line.hasPrefix(Setting.variablePrefix) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if let setting = Setting.all.first(where: { $0.variable == name }) {
                let value = VariableText.trimmed(String(parts.last ?? ""))
                given.append(GivenSetting(setting, value, .environment))
            } else if !Self.isOfKubernetes(name) {
                unknown.append(name)
            }
        }
    }

    /// Whether it is one of the variables that Kubernetes sets in every container for a service
    /// named `relationd`.
    private static func isOfKubernetes(_ name: String) -> Bool {
        let rest = name.dropFirst(Setting.variablePrefix.count)
        return rest == "PORT" || rest.hasPrefix("PORT_") || rest.hasPrefix("SERVICE_")
    }

    /// The environment with which the process began.
    private static func lines() -> [String] {
        let file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return known() }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The settings of the environment where the system does not list it.
    private static func known() -> [String] {
        Setting.all.compactMap { setting in
            getenv(setting.variable).map { "\(setting.variable)=\(String(cString: $0))" }
        }
    }
}
