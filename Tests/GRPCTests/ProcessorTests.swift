import Foundation
import NIOCore
import Testing

@testable import GRPC

/// The processors that a server may use.
@Suite struct ProcessorTests {
    @Test(arguments: [
        ("0", 1), ("0-3", 4), ("\t0-2,5", 4), ("1,3,5-6", 4), ("7-7", 1),
    ])
    func processorsAreCountedInTheListOfTheSystem(_ list: String, _ count: Int) {
        #expect(ServerConfiguration.processors(in: list) == count)
        let status = ["Name:\trelationd", "Cpus_allowed:\tff", "Cpus_allowed_list:\(list)"]
        #expect(ServerConfiguration.allowed(in: status) == count)
    }

    @Test(arguments: ["", " ", "3-1", "a", "1-2-3", "-", "1-", "1,b"])
    func anythingElseIsNoList(_ list: String) {
        #expect(ServerConfiguration.processors(in: list) == nil)
    }

    @Test(arguments: [
        ("100000 100000", 1), ("150000 100000", 2), ("50000 100000", 1), ("400000 100000", 4),
    ])
    func aQuotaIsRoundedUp(_ text: String, _ count: Int) {
        #expect(ServerConfiguration.processors(ofQuota: text) == count)
    }

    @Test(arguments: ["max 100000", "", "100000", "0 100000", "100000 0"])
    func anythingElseIsNoQuota(_ text: String) {
        #expect(ServerConfiguration.processors(ofQuota: text) == nil)
    }

    @Test func theSmallestQuotaOfTheGroupsAroundAProcessHolds() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        let group = root.appendingPathComponent("system.slice/relationd.service")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        func quota(_ groups: [String]) -> Int? {
            ServerConfiguration.quota(in: groups, root: root.path)
        }
        let own = ["1:cpu:/other", "0::/system.slice/relationd.service"]
        #expect(quota(own) == nil)
        let outer = root.appendingPathComponent("system.slice/cpu.max")
        try "300000 100000\n".write(to: outer, atomically: true, encoding: .utf8)
        #expect(quota(own) == 3)
        let inner = group.appendingPathComponent("cpu.max")
        try "max 100000\n".write(to: inner, atomically: true, encoding: .utf8)
        #expect(quota(own) == 3)
        try "200000 100000\n".write(to: inner, atomically: true, encoding: .utf8)
        #expect(quota(own) == 2)
        #expect(quota(["0::/"]) == nil)
        #expect(quota(["1:cpu:/system.slice/relationd.service"]) == nil)
    }

    @Test func aProcessUsesAtLeastOneProcessorAndNoMoreThanThereAre() {
        #expect((1...max(1, System.coreCount)).contains(ServerConfiguration.processorCount))
    }
}
