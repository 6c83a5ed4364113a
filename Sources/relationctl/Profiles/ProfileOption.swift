import ArgumentParser

/// The option that names a profile, of calls and of admin endpoints.
struct ProfileOption: ParsableArguments {
    @Option(
        help: "The profile to use, as 'login' keeps it; or RELATION_PROFILE of the environment.",
        completion: .custom { _, _, _ in ProfileFile.names })
    var profile: String?

    /// Whether the option or the environment names a profile.
    var isGiven: Bool { profile != nil || Environment["RELATION_PROFILE"] != nil }
}
