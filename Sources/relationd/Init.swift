import ArgumentParser
import Glibc
import Logging
import RelationAdmission
import RelationCalls
import RelationService
import Storage
import StorageRocks

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the registry of apps in a folder, and the operator's key.",
        discussion: """
            Prints the key, once: the folder keeps only a digest of it. Send it as the metadata \
            "authorization: Bearer KEY", with "x-app-id: APP" to act in an app. It opens every \
            call, and is needed to make apps and their first credentials. No server may have the \
            folder open.
            """)

    @Option(.config) var config: String?
    @Option(.data) var data: String?

    @Flag(help: "End the present key, and make another.")
    var replaceKey = false

    func run() throws {
        let given: [(Setting, String?)] = [(.config, config), (.data, data)]
        let sources = ConfigurationSources(
            flags: given.compactMap { setting, text in text.map { (setting, $0) } })
        let settings = try sources.readOrExit(.folder)
        let data = settings.data
        FileModes.close()
        let logger = LogOutput.begin(settings)
        var options = RocksOptions()
        options.openFiles = try Descriptors(limit: Descriptors.raise(), threads: 0).engineFiles
        let store = try RocksStore.opened(data, options, logger)
        defer { store.close() }
        let key: String?
        do throws(StorageError) {
            key = try OperatorKey.make(
                in: store, at: ServiceClock.system.now(), replaces: replaceKey)
        } catch  where error.code == .outcomeUnknown {
            throw Failure(
                "it is unknown whether \(data) has an operator's key now, and the new key is lost: "
                    + "--replace-key makes another; \(error.message)")
        } catch {
            throw Failure("the operator's key cannot be written to \(data): \(error.message)")
        }
        guard let key else {
            throw Failure(
                "\(data) has an operator's key; --replace-key ends it and makes another")
        }
        print(key)
        guard fflush(nil) == 0 else {
            throw Failure(
                "the key could not be printed, and is lost: --replace-key makes another")
        }
        try store.writeOut()
    }
}
