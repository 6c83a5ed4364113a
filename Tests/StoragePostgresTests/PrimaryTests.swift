import Storage
import StoragePostgres
import Testing

/// With which server of a database a process speaks.
struct PrimaryTests {
    private let primary = Primary()
    private let first = Primary.Identity(system: "7", timeline: 1, started: "a")

    private func good() -> Lease {
        let lease = Lease { 1_000_000_000 }
        for _ in 0..<2 { lease.renewed(from: 1_000_000_000, tenure: 1) }
        return lease
    }

    private func other(
        timeline: UInt32 = 1, started: String = "b", system: String = "7"
    ) -> Primary.Identity {
        Primary.Identity(system: system, timeline: timeline, started: started)
    }

    @Test func itIsTheOneThatTheFirstConnectionFinds() throws {
        #expect(primary.number == 0)
        #expect(try primary.admit(first, for: .other, nil) == 1)
        #expect(try primary.admit(first, for: .lease, nil) == 1)
        #expect(primary.number == 1)
    }

    @Test(arguments: [Primary.Use.lease, .other])
    func aServerThatHasTakenOverIsItFromNowOn(_ use: Primary.Use) throws {
        let lease = good()
        _ = try primary.admit(first, for: .other, nil)
        #expect(try primary.admit(other(timeline: 2), for: use, lease) == 2)
        #expect(primary.number == 2, "all connections to the first one are dropped")
        #expect(!lease.isGood, "the new one has not renewed it")
        for use in [Primary.Use.lease, .other] {
            #expect(throws: StorageError(.unavailable, "")) {
                try primary.admit(first, for: use, lease)
            }
        }
    }

    @Test func aStandbyMayBePromotedAndFollowAgain() throws {
        let standby = Primary(takingAny: true)
        let states = [other(timeline: 0), other(timeline: 2), other(timeline: 0, started: "c")]
        let numbers = try states.map { try standby.admit($0, for: .other, nil) }
        #expect(numbers == [1, 2, 3])
        #expect(try standby.admit(states[2], for: .other, nil) == 3)
    }

    @Test func aServerThatWasStartedAnewIsItWhenTheLeaseIsThere() throws {
        let lease = good()
        _ = try primary.admit(first, for: .other, nil)
        #expect(throws: StorageError(.unavailable, "")) {
            try primary.admit(other(), for: .other, lease)
        }
        #expect(try primary.admit(other(), for: .lease, lease) == 2)
        #expect(try primary.admit(other(), for: .other, lease) == 2)
        #expect(lease.isGood, "it is the same database")
        // Without a lease nothing decides.
        #expect(try primary.admit(other(started: "c"), for: .other, nil) == 3)
    }

    @Test func anotherSystemIsItWhenTheLeaseIsThere() throws {
        let lease = good()
        _ = try primary.admit(first, for: .other, nil)
        let copy = other(system: "8")
        #expect(throws: StorageError(.unavailable, "")) {
            try primary.admit(copy, for: .other, lease)
        }
        #expect(try primary.admit(copy, for: .lease, lease) == 2)
        #expect(!lease.isGood)
    }

    @Test(arguments: [
        ("postgresql:///one", [[:]]),
        ("postgresql://db1/one", [[:]]),
        (
            "postgresql://db1:5432,db2:5433/one",
            [["host": "db1", "port": "5432"], ["host": "db2", "port": "5433"]]
        ),
        (
            "host=db1,db2 port=5 dbname=one",
            [
                ["host": "db1", "port": "5"], ["host": "db2", "port": "5"],
            ]
        ),
        (
            "host=db1,db2 hostaddr=10.0.0.1,10.0.0.2",
            [
                ["host": "db1", "hostaddr": "10.0.0.1"], ["host": "db2", "hostaddr": "10.0.0.2"],
            ]
        ),
        // libpq says what is wrong with it.
        ("host=db1,db2 port=1,2,3", [[:]]),
    ])
    func eachServerOfAnAddressIsAskedForItself(
        _ address: String, _ words: [[String: String]]
    ) {
        #expect(DatabaseServer.all(in: address).map(\.words) == words)
    }
}
