import Protobuf
import RelationAPI
import RelationModel
import Testing

@testable import Migrations

/// The rows of an export that cannot stand without the account of another user.
@Suite struct OtherAccountTests {
    private func application(_ status: ApplicationStatus) -> ExportAppResponse.Row {
        .application(
            .with {
                $0.userID = "ann"
                $0.application = .with { ($0.userID, $0.status) = ("zoe", status) }
            })
    }

    private var rows: [(row: ExportAppResponse.Row, field: String?)] {
        [
            (
                .friendEntry(
                    .with { ($0.userID, $0.entry) = ("ann", .with { $0.userID = "zoe" }) }),
                "entry.user_id"
            ),
            (
                .blacklistEntry(
                    .with { ($0.userID, $0.entry) = ("ann", .with { $0.userID = "zoe" }) }),
                "entry.user_id"
            ),
            (
                .follow(.with { ($0.userID, $0.entry) = ("ann", .with { $0.userID = "zoe" }) }),
                "entry.user_id"
            ),
            (
                .subscription(
                    .with { ($0.userID, $0.subscription) = ("ann", .with { $0.userID = "zoe" }) }),
                "subscription.user_id"
            ),
            (application(.unhandled), "application.user_id"),
            // An answer keeps the name of a user who is gone.
            (application(.accepted), nil),
            (.account(.with { $0.userID = "ann" }), nil),
            (.profile(.with { $0.profile = .with { $0.userID = "ann" } }), nil),
            (.group(.with { ($0.userID, $0.group) = ("ann", .with { $0.name = "zoe" }) }), nil),
        ]
    }

    @Test func aRowNamesTheFieldOfTheOtherUser() {
        for (row, field) in rows {
            let other = OtherAccount(of: .with { $0.row = row })
            #expect(other?.field == field)
            guard let other else { continue }
            #expect([other.owner, other.user] == ["ann", "zoe"])
            #expect(other.rule(among: KnownUsers(sorted: ["ann"])) == MigrationLoss.outside)
            #expect(other.rule(among: KnownUsers(sorted: ["ann", "zoe"])) == nil)
        }
    }

    /// The server has rules of its own for an id that is none.
    @Test func anIDThatIsNoneHasAnotherRule() {
        let row = ExportAppResponse.Row.follow(.with { $0.userID = "ann" })
        let other = OtherAccount(of: .with { $0.row = row })
        #expect(other?.rule(among: KnownUsers()) == nil)
    }

    @Test func usersAreFoundByTheBytesOfTheirIDs() {
        let ids = ["", "A", "a", "a0", "ab", "b", "\u{e9}"].filter { !$0.isEmpty }
        let known = KnownUsers(sorted: ids)
        for id in ids { #expect(known.has(id)) }
        for id in ["", "0", "B", "a1", "abc", "c", "e\u{301}"] { #expect(!known.has(id)) }
        #expect(!KnownUsers().has("a"))
    }
}
