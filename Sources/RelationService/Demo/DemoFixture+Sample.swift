import RelationAPI
import RelationModel

extension DemoFixture {
    /// The nicknames of the sample; in small letters they are the ids of its users.
    private static let nicks = [
        "Alice", "Bob", "Carl", "Dana", "Emil", "Fatima", "Goran", "Hana", "Ivan", "Judit", "Kwame",
        "Lena", "Mei", "Nils", "Olga", "Paulo", "Qiang", "Rosa", "Sven", "Tara", "Umar", "Vera",
        "Wanda", "Yuki",
    ]

    /// The groups into which Alice sorts her friends.
    private static let groups = ["family", "work", "club"]

    /// A small graph for a first look: users with nicknames and portraits, who are friends in three
    /// circles of eight, with a few friendships between the circles.
    package static let sample: DemoFixture = {
        var fixture = DemoFixture()
        fixture.users = nicks.indices.map(user)
        return fixture
    }()

    private static func user(_ index: Int) -> DemoUser {
        var user = DemoUser()
        user.userID = nicks[index].lowercased()
        var profile = Profile()
        profile.nick = nicks[index]
        profile.faceURL = portrait(index)
        // One user wants to be asked, so that an application can be tried.
        if nicks[index] == "Yuki" { profile.allowType = .needConfirm }
        user.profile = profile
        user.friends = friends(of: index).map { friend(index, $0) }
        if nicks[index] == "Bob" { user.blacklist = ["wanda"] }
        return user
    }

    /// The friends of a user with a higher index: each friendship stands once.
    private static func friends(of index: Int) -> [Int] {
        let circle = index / 8
        let own = (index + 1..<nicks.count).filter { $0 / 8 == circle && ($0 - index) % 4 != 3 }
        let next = index + 8
        return own + (index % 3 == 0 && next < nicks.count ? [next] : [])
    }

    private static func friend(_ index: Int, _ other: Int) -> DemoFriend {
        var friend = DemoFriend()
        friend.userID = nicks[other].lowercased()
        guard index == 0 else { return friend }
        friend.groups = [groups[other % groups.count]]
        if other == 1 {
            friend.remark = "Bobby"
            friend.starred = true
        }
        return friend
    }

    /// A portrait as a picture in the URL itself, so that it needs no other server.
    private static func portrait(_ index: Int) -> String {
        let hue = index * 360 / nicks.count
        return "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'%3E"
            + "%3Crect width='40' height='40' fill='hsl(\(hue) 55%25 45%25)'/%3E%3Ctext x='20' "
            + "y='27' font-size='20' fill='white' text-anchor='middle'%3E\(nicks[index].prefix(1))"
            + "%3C/text%3E%3C/svg%3E"
    }
}
