import Memory
import Protobuf
import RelationCore
import RelationModel
import RelationSuite
import Testing

@testable import Storage

/// A key is the same bytes in whichever of two ways it is written: into memory of its own, or into
/// memory of a call.
@Suite struct RowKeyTests {
    private static let partitions = [
        App(id: 1, settings: .tim).partition(of: "A"),
        App(id: .max, settings: .tim).partition(of: UserID(stored: Array("u".utf8))),
        App(id: 7, settings: .tim).partition(
            of: UserID(stored: [UInt8](repeating: 126, count: 64))),
        App(id: 7, settings: .tim).feed,
        Partition(app: 5, name: [0xFE, 0xFF]),
    ]

    private func holds(_ rowKey: some RowKey, _ kind: UInt8 = 0x42) {
        for partition in Self.partitions {
            var bytes = partition.bytes
            #expect(bytes.count == partition.count)
            bytes.append(kind)
            rowKey.append(to: &bytes)
            let written = withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { room in
                // The room is not empty, so it has an address.
                var writer = KeyWriter(start: room.baseAddress!, room: room.count)
                writer.append(partition)
                writer.append(kind)
                rowKey.write(to: &writer)
                return Array(room[..<writer.count])
            }
            #expect(written == bytes)
            var keys = KeyList()
            keys.append(partition, kind: kind, rowKey)
            #expect(keys[0].bytes == bytes && keys[0].partitionCount == partition.count)
            #expect(keys.partitions == [partition])
        }
    }

    @Test func everyRowKeyIsWrittenInOneWay() {
        let user: UserID = "some-user"
        holds(OnlyKey())
        holds(user)
        holds(0 as UInt64)
        holds(0x0102_0304_0506_0708 as UInt64)
        holds(TimedUser(timeMs: -5, user: user))
        holds(SequencedUser(sequence: 1 << 40, user: user))
        holds(GroupName("äöü"))
        holds(GroupMember(group: 77, user: user))
        holds(PendencyKey(.comeIn, user))
        holds(TimedPendency(timeMs: 9, key: PendencyKey(.sendOut, user)))
        holds(RequestID(String(repeating: "r", count: 64)))
        holds(Mention(.unreturned, user))
        holds(Mention(.muting, user))
        holds(ContactDigest(.email, [UInt8](repeating: 0, count: 32)))
        for row in FoldedName("曾Ann").rows(of: user, isHidden: true) { holds(row) }
    }

    /// A name that a caller sends is part of a key before it is refused.
    @Test(arguments: [900, 1_015, 1_016, 1_017, 1_024, 1_025, 70_000])
    func aKeyOfAnyLengthIsWritten(_ length: Int) {
        let name = GroupName(String(repeating: "n", count: length))
        let partition = Self.partitions[0]
        let key = Tables.groups.key(partition, name)
        var keys = KeyList()
        keys.append(partition, kind: Tables.groups.kind, name)
        keys.append(partition, kind: Tables.groups.kind, GroupName("next"))
        #expect(keys[0] == key)
        #expect(keys[1] == Tables.groups.key(partition, GroupName("next")))
        Arena.temporary { arena in
            #expect(KeyView(partition, Tables.groups.kind, name, in: arena)?.key == key)
        }
    }

    @Test func aKeyInMemoryOfACallIsTheKey() {
        for partition in Self.partitions {
            let key = Tables.mentions.key(partition, Mention(.friends, "B"))
            key.bytes.withUnsafeBytes { bytes in
                let view = KeyView(bytes: bytes, partitionCount: key.partitionCount)
                #expect(view.key == key && view.kind == Tables.mentions.kind)
            }
        }
    }
}
