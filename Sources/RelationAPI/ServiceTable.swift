public import Protobuf

/// Every call of the contract, in its order: what the router registers, reflection serves and the
/// command line knows.
public enum ServiceTable {
    public static let all: [AnyMethod] = [
        AnyMethod(ProfileMethods.getSelfProfile),
        AnyMethod(ProfileMethods.getProfiles),
        AnyMethod(ProfileMethods.updateProfile),
        AnyMethod(ProfileMethods.findProfileByUniqueID),
        AnyMethod(ProfileMethods.setVisibility),
        AnyMethod(ProfileMethods.getVisibility),
        AnyMethod(FriendMethods.addFriends),
        AnyMethod(FriendMethods.deleteFriends),
        AnyMethod(FriendMethods.deleteAllFriends),
        AnyMethod(FriendMethods.checkFriends),
        AnyMethod(FriendMethods.listFriends),
        AnyMethod(FriendMethods.getFriends),
        AnyMethod(FriendMethods.updateFriends),
        AnyMethod(FriendMethods.syncFriends),
        AnyMethod(ApplicationMethods.respondToApplications),
        AnyMethod(ApplicationMethods.listPendencies),
        AnyMethod(ApplicationMethods.deletePendencies),
        AnyMethod(ApplicationMethods.reportPendencies),
        AnyMethod(ApplicationMethods.listApplications),
        AnyMethod(ApplicationMethods.withdrawApplications),
        AnyMethod(BlacklistMethods.addToBlacklist),
        AnyMethod(BlacklistMethods.removeFromBlacklist),
        AnyMethod(BlacklistMethods.listBlacklist),
        AnyMethod(BlacklistMethods.checkBlacklist),
        AnyMethod(BlacklistMethods.canSend),
        AnyMethod(GroupMethods.createFriendGroups),
        AnyMethod(GroupMethods.deleteFriendGroups),
        AnyMethod(GroupMethods.addFriendsToGroup),
        AnyMethod(GroupMethods.removeFriendsFromGroup),
        AnyMethod(GroupMethods.renameFriendGroup),
        AnyMethod(GroupMethods.getFriendGroups),
        AnyMethod(AppMethods.getApp),
        AnyMethod(AccountMethods.importAccounts),
        AnyMethod(MaintenanceMethods.importFriends),
    ]
}
