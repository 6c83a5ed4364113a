import Protobuf
import RelationAPI
import RelationModel

/// The rows of one account that a second pass migrates, and the lines of others.
struct AccountState {
    var profile = Profile()
    var visibility: Visibility?
    /// The choices for single fields of the profile, by their paths.
    var fieldVisibilities: [String: FieldVisibility] = [:]
    /// Paths of fields whose choice names groups that the file does not have.
    private(set) var lostChoices: [String] = []
    /// The fields under review, in JSON.
    var reviews: [String] = []
    /// The groups in the order of their owner.
    var groups: [String] = []
    var friends: [Friend] = []
    var blacklist: [BlacklistEntry] = []
    var follows: [FollowEntry] = []
    var applications: [FriendApplication] = []
    /// The rows that no call migrates, in JSON, by their kind.
    var others: [String: [String]] = [:]

    /// Rows of which each server has its own, so that they are not a change of the app.
    private static let own: Set = ["devices", "invitationUse", "report"]

    init(_ account: AccountLines?) throws {
        var numbers: [(number: Int64, name: String)] = []
        var choices: [ExportedFieldVisibility] = []
        for row in account?.rows ?? [] {
            switch row.row {
            case .profile(let row):
                profile = row.profile ?? Profile()
                profile.version = 0
                profile.ageRange = nil
                visibility = row.visibility
                choices = row.fields
                reviews += try row.reviews.map { try $0.json() }
            case .group(let row): numbers.append((row.number, row.group?.name ?? ""))
            case .friendEntry(let row):
                friends.append(row.entry ?? Friend())
                reviews += try row.reviews.map { try $0.json() }
            case .blacklistEntry(let row): blacklist.append(row.entry ?? BlacklistEntry())
            case .follow(let row): follows.append(row.entry ?? FollowEntry())
            case .application(let row):
                reviews += try row.reviews.map { try $0.json() }
                let application = row.application ?? FriendApplication()
                guard application.status ?? .unhandled == .unhandled else { continue }
                applications.append(application)
            default:
                let kind = try row.kind
                if !Self.own.contains(kind) { others[kind, default: []].append(try row.json()) }
            }
        }
        groups = numbers.sorted { $0.number < $1.number }.map(\.name)
        apply(choices, numbers)
    }

    /// Takes the choices for fields, in which groups stand by their numbers.
    private mutating func apply(
        _ choices: [ExportedFieldVisibility], _ groups: [(number: Int64, name: String)]
    ) {
        for choice in choices {
            guard let visibility = choice.visibility, visibility != .notSet else { continue }
            var field = FieldVisibility()
            (field.field, field.visibility) = (choice.field, visibility)
            if visibility == .groups {
                let numbers = Set(choice.groupNumbers.map { Int64($0) })
                field.groupNames = groups.filter { numbers.contains($0.number) }.map(\.name)
                if field.groupNames.count < numbers.count { lostChoices.append(choice.field) }
                // A choice for groups that are gone lets no user read, as one for oneself does.
                if field.groupNames.isEmpty { field.visibility = .invisible }
            }
            fieldVisibilities[choice.field] = field
        }
    }
}

extension ExportAppResponse {
    /// The name of the row's kind in JSON, such as `friendEntry`; empty if it has no row.
    var kind: String {
        get throws {
            // However a file writes a row, the program itself writes it without blanks.
            String(try json().dropFirst(2).prefix { $0 != "\"" })
        }
    }

    /// The path of the field that names the user to whom the row belongs.
    var ownerField: String {
        get throws {
            switch row {
            case .profile: "profile.profile.user_id"
            case .report: "report.reported_user_id"
            default: AccountChange.path(of: try kind) + ".user_id"
            }
        }
    }
}

/// The groups of a user, as calls bring them from one order to another.
///
/// A new group comes after those that are there, and no call moves one. So the groups from which
/// on the orders differ are deleted, and made again.
struct GroupSteps: Equatable {
    private(set) var deleted: [String] = []
    private(set) var made: [String] = []
    /// The groups that are deleted and made again, without members until their rows are written.
    private(set) var emptied: Set<String> = []

    init(from old: [String], to new: [String]) {
        var indices: [String: Int] = [:]
        for (index, name) in old.enumerated() { indices[name] = index }
        var last = -1
        var kept = 0
        for name in new {
            guard let index = indices[name], index > last else { break }
            last = index
            kept += 1
        }
        let stays = Set(new.prefix(kept))
        deleted = old.filter { !stays.contains($0) }
        made = Array(new.dropFirst(kept))
        emptied = Set(deleted).intersection(made)
    }
}
