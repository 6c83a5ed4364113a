import Protobuf
import RelationAPI
import RelationCore
import RelationModel
import Storage

extension AppHandlers {
    static func getLimits(
        _ request: GetLimitsRequest, _ call: Call, _ faults: inout Violations
    ) -> Reading<GetLimitsResponse> {
        let settings = call.app.settings
        let day = call.now.milliseconds / 86_400_000
        return reading(call) { (head, _) throws(StorageError) in
            var response = GetLimitsResponse()
            for setting in AppSetting.all {
                guard let unit = setting.unit(settings),
                    case .number(let number) = setting.value(in: settings)
                else { continue }
                response.limits.append(
                    LimitMessage(setting.name, number, unit, head.use(of: setting, day: day)))
            }
            for (name, number, unit) in RequestLimits.all {
                response.limits.append(LimitMessage(name, number, unit, nil))
            }
            return response
        }
    }
}

/// The bounds of requests, which are the same in every app, by the names that GetLimits gives them:
/// the call and its list, or the field that all calls share.
enum RequestLimits {
    static let all: [(name: String, limit: Int64, unit: LimitUnit)] = [
        ("AddFriends.friends", Int64(Limits.addFriendsItems), .items),
        ("DeleteFriends.user_ids", Int64(Limits.deleteFriendsItems), .items),
        ("CheckFriends.user_ids", Int64(Limits.checkFriendsItems), .items),
        ("GetFriends.user_ids", Int64(Limits.getFriendsItems), .items),
        ("UpdateFriends.items", Int64(Limits.updateFriendsItems), .items),
        ("SearchFriends.keyword", Int64(Limits.keywordCharacters), .characters),
        ("RespondToApplications.items", Int64(Limits.respondItems), .items),
        ("ListPendencies.num_per_page", Int64(Limits.pendenciesPerPage), .items),
        ("AddToBlacklist.user_ids", Int64(Limits.blacklistItems), .items),
        ("RemoveFromBlacklist.user_ids", Int64(Limits.blacklistItems), .items),
        ("UpdateProfile.tags", Int64(Limits.tagValues), .items),
        ("page_size", Int64(Limits.maxPageRows), .items),
        ("page", Int64(Limits.pageBytes), .bytes),
        ("user_id", Int64(Limits.userIDBytes), .bytes),
        ("options.request_id", Int64(Limits.requestIDBytes), .bytes),
        ("options.device_id", Int64(Limits.deviceIDBytes), .bytes),
        ("request ids kept", Int64(Limits.requestIDsPerUser), .items),
        ("request ids kept for", Limits.requestIDMilliseconds, .milliseconds),
    ]
}

extension LimitMessage {
    fileprivate init(_ name: String, _ limit: Int64, _ unit: LimitUnit, _ use: Int64?) {
        self.init()
        self.name = name
        self.limit = limit
        self.unit = unit
        inUse = use
    }
}

extension HeadRecord {
    /// How much of a limit the user has used up; nil if nothing adds up.
    fileprivate func use(of setting: AppSetting, day: Int64) -> Int64? {
        switch setting.name {
        case "limits.friends": Int64(friendCount)
        case "limits.blacklisted_users": Int64(blacklistCount)
        case "limits.groups": Int64(groupCount)
        // The fuller one of the two directions.
        case "limits.pendencies": Int64(max(comeInCount, sendOutCount))
        case "applications_per_day": applicationDay == day ? Int64(applicationsToday) : 0
        default: nil
        }
    }
}
