import Backups
import Glibc
import Testing

@Suite struct ArchiveTests {
    @Test func aWholeArchiveIsReadBack() throws {
        try Scratch.run { scratch in
            let archive = try scratch.archive()
            let contents = try BackupContents(at: archive)
            #expect(contents.manifest == scratch.manifest)
            var copied: Int64 = 0
            try contents.read(copyingTo: scratch.path("copy")) { copied = $0 }
            #expect(copied == scratch.manifest.bytes)
            for file in scratch.manifest.files {
                #expect(try scratch.bytes("copy/\(file.path)") == scratch.content(file.path))
            }
        }
    }

    @Test func tarReadsAnArchive() throws {
        try Scratch.run { scratch in
            let archive = try scratch.archive()
            #expect(system("tar -C \(scratch.folder) -xf \(archive)") == 0)
            let unpacked = try BackupContents(at: scratch.path(scratch.manifest.name))
            try unpacked.read()
            #expect(unpacked.manifest == scratch.manifest)
        }
    }

    @Test func aWriterGoesOnFromEveryByteAtWhichAnotherStopped() throws {
        try Scratch.run { scratch in
            let whole = try scratch.bytes(of: scratch.archive())
            // Before the manifest is whole there is nothing to go on from.
            let first = 512 + (try scratch.manifest.text().utf8.count + 511) / 512 * 512
            for size in stride(from: first, through: whole.count, by: 97) {
                let part = scratch.path("part")
                unlink(part)
                try scratch.write(Array(whole[..<size]), to: part)
                var writer = try ArchiveWriter(resuming: part)
                try scratch.fill(&writer)
                try writer.finish()
                #expect(try scratch.bytes(of: part) == whole, "cut at \(size)")
            }
        }
    }

    @Test func aBeginningWithoutAWholeManifestIsRefused() throws {
        try Scratch.run { scratch in
            let whole = try scratch.bytes(of: scratch.archive())
            for size in [0, 1, 511, 512, 600] {
                let part = scratch.path("part")
                unlink(part)
                try scratch.write(Array(whole[..<size]), to: part)
                #expect(throws: BackupError.self) { _ = try ArchiveWriter(resuming: part) }
            }
        }
    }

    @Test func bytesThatAreNotThoseOfTheManifestAreRefused() throws {
        try Scratch.run { scratch in
            let path = scratch.path("bad")
            var writer = try ArchiveWriter(making: path, Array(scratch.manifest.text().utf8))
            let next = try #require(writer.next)
            let wrong = [UInt8](repeating: 7, count: Int(next.file.bytes))
            let error = #expect(throws: BackupError.self) { try writer.add(wrong) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func everyDamagedByteOfAnArchiveIsFound() throws {
        try Scratch.run { scratch in
            let archive = try scratch.archive()
            let whole = try scratch.bytes(of: archive)
            var unnoticed: [Int] = []
            for offset in stride(from: 0, to: whole.count, by: 13) {
                var damaged = whole
                damaged[offset] ^= 0x10
                try scratch.write(damaged, to: archive)
                guard (try? BackupContents(at: archive).read()) != nil else { continue }
                unnoticed.append(offset)
            }
            #expect(unnoticed == [])
        }
    }

    @Test func anArchiveThatIsCutAnywhereIsRefused() throws {
        try Scratch.run { scratch in
            let archive = try scratch.archive()
            let whole = try scratch.bytes(of: archive)
            for size in stride(from: 0, to: whole.count, by: 101) {
                try scratch.write(Array(whole[..<size]), to: archive)
                #expect(throws: BackupError.self, "cut at \(size)") {
                    try BackupContents(at: archive).read()
                }
            }
        }
    }

    @Test func aListWithAPathThatLeadsElsewhereIsRefused() throws {
        try Scratch.run { scratch in
            for path in ["../FORMAT", "rows/../x", "/etc/passwd", "rows/.x", "rows/", "BACKUP"] {
                var manifest = scratch.manifest
                manifest.files[1].path = path
                let text = Array(try manifest.text().utf8)
                let error = #expect(throws: BackupError.self) { try BackupManifest(text: text) }
                #expect(error?.message.contains("what is not a file of a backup") == true)
            }
        }
    }

    @Test func aFolderThatLacksAFileOrHasAShorterOneIsRefused() throws {
        try Scratch.run { scratch in
            try BackupContents(at: scratch.archive()).read(copyingTo: scratch.path("copy"))
            let copy = scratch.path("copy")
            try BackupContents(at: copy).read()
            #expect(truncate("\(copy)/rows/000007.sst", 10) == 0)
            #expect(throws: BackupError.self) { try BackupContents(at: copy).read() }
            unlink("\(copy)/rows/000007.sst")
            #expect(throws: BackupError.self) { try BackupContents(at: copy).read() }
        }
    }

    @Test func aNameIsTheTimeInUTC() {
        #expect(BackupName.name(ofMilliseconds: 1_795_651_199_999) == "20261125T235959Z")
        #expect(BackupName.isName("20261125T235959Z"))
        for other in ["", "20261125T235959", "20261125T235959Z.new", "20261125_235959Z"] {
            #expect(!BackupName.isName(other))
        }
    }
}
