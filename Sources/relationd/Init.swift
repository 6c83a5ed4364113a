import ArgumentParser
import Glibc
import Logging
import RelationService
import Storage
import StorageRocks

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the registry of apps in a folder, and the operator's key.",
        discussion: """
            Prints the key, once: the folder keeps only a digest of it. It is sent as the metadata \
            "authorization: Bearer KEY", with "x-app-id: APP" to act in an app. It opens every \
            call; with it apps are made, and their first credentials. No server may have the \
            folder open.
            """)

    @Option(help: "The folder that holds the data; it is made if it is missing.")
    var data: String

    @Flag(help: "End the key that there is, and make another.")
    var replaceKey = false

    func validate() throws {
        guard !data.isEmpty else { throw ValidationError("--data takes the path of a folder") }
    }

    func run() throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let store = try RocksStore.opened(data, RocksOptions(), Logger(label: "relationd"))
        defer { store.close() }
        let key: String?
        do throws(StorageError) {
            key = try OperatorKey.make(
                in: store, at: Clock.system.now(), replaces: replaceKey)
        } catch  where error.code == .outcomeUnknown {
            throw Failure(
                "nobody knows whether \(data) has an operator's key now, and nobody has the key: "
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
                "the key could not be printed, and nobody has it: --replace-key makes another")
        }
        try store.writeOut()
    }
}

extension RocksStore {
    /// The store in `folder`.
    ///
    /// - Throws: ``Failure``, which says what to do.
    static func opened(
        _ folder: String, _ options: RocksOptions, _ logger: Logger
    ) throws -> RocksStore {
        var options = options
        options.onRecovery = { logger.notice("\($0.text(folder))") }
        do throws(StorageError) {
            return try RocksStore(folder: folder, options)
        } catch {
            throw Failure(
                error.code == .locked
                    ? "the data folder \(folder) is in use by another server" : error.message)
        }
    }

    /// Leaves no log that the next start would read back.
    ///
    /// - Throws: ``Failure``; nothing is lost by it, since the log is there.
    func writeOut() throws {
        do throws(StorageError) {
            try flush()
        } catch {
            throw Failure("the next start reads the log back: \(error.message)")
        }
    }
}

extension RecoveryNote {
    fileprivate func text(_ folder: String) -> String {
        switch self {
        case .began(let bytes): "reading back \(Self.size(bytes)) of the log of \(folder)"
        case .reached(let bytes, let all): "read back \(Self.size(bytes)) of \(Self.size(all))"
        case .ended(let bytes, let milliseconds):
            "read back \(Self.size(bytes)) in \(milliseconds) ms"
        }
    }

    private static func size(_ bytes: Int64) -> String {
        bytes < 10 << 20 ? "\(bytes) bytes" : "\(bytes >> 20) MiB"
    }
}
