import ArgumentParser
import Backups
import Storage
import StorageRocks

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a data folder out of a backup.",
        discussion: """
            The backup is an archive that relationctl backup wrote, or a folder of the server's \
            backups. Each file is compared with its sum while it is copied. The data folder must \
            be new or empty. An attempt that broke is restarted with the same command. Then serve \
            the folder. Streams of changes that clients resume begin there with the present state, \
            because what they saw after the backup is gone.
            """)

    @Option(.data) var data: String?
    @Option(.config) var config: String?

    @Option(help: ArgumentHelp("The archive or the folder of the backup.", valueName: "path"))
    var from: String

    func run() throws {
        let sources = ConfigurationSources(flags: [(.config, config), (.data, data)])
        let settings = try sources.readOrExit(.folder)
        FileModes.close()
        let contents = try backup(at: from)
        do throws(StorageError) {
            let folder = try RestoredFolder(settings.data)
            try folder.check(contents.manifest)
            do throws(BackupError) {
                let progress = ProgressLine("restoring", of: contents.manifest.bytes)
                try contents.read(copyingTo: folder.target) { progress.show($0) }
                progress.end()
            } catch {
                folder.abandon()
                throw StorageError(.failed, error.message)
            }
            try folder.finish(contents.manifest)
        } catch {
            throw FatalError("nothing was restored: \(error.message)")
        }
        print("restored the backup \(contents.manifest.name) into \(settings.data)")
    }

    private func backup(at path: String) throws -> BackupContents {
        do throws(BackupError) {
            return try BackupContents(at: path)
        } catch {
            throw FatalError("nothing was restored: \(error.message)")
        }
    }
}
