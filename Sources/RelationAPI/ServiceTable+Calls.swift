import Protobuf

// Made by `make contract` from the contract: the calls of each service, in the contract's order.

extension ServiceTable {
    static let account: [AnyMethod] = [
        AnyMethod(AccountMethods.importAccounts),
        AnyMethod(AccountMethods.listAccounts),
        AnyMethod(AccountMethods.checkAccounts),
        AnyMethod(AccountMethods.deleteAccounts),
        AnyMethod(AccountMethods.getDeletion),
        AnyMethod(AccountMethods.revokeUserSessions),
    ]

    static let app: [AnyMethod] = [
        AnyMethod(AppMethods.createApp),
        AnyMethod(AppMethods.getApp),
        AnyMethod(AppMethods.updateApp),
        AnyMethod(AppMethods.listApps),
        AnyMethod(AppMethods.deleteApp),
        AnyMethod(AppMethods.createCredential),
        AnyMethod(AppMethods.listCredentials),
        AnyMethod(AppMethods.revokeCredential),
        AnyMethod(AppMethods.rotateAppSecret),
        AnyMethod(AppMethods.defineCustomFields),
        AnyMethod(AppMethods.listCustomFields),
        AnyMethod(AppMethods.retireCustomField),
        AnyMethod(AppMethods.getLimits),
        AnyMethod(AppMethods.registerClientApp),
        AnyMethod(AppMethods.listClientApps),
        AnyMethod(AppMethods.definePermissions),
        AnyMethod(AppMethods.listPermissionDefinitions),
        AnyMethod(AppMethods.createOperatorKey),
        AnyMethod(AppMethods.listOperatorKeys),
        AnyMethod(AppMethods.revokeOperatorKey),
        AnyMethod(AppMethods.importAppSecret),
    ]

    static let application: [AnyMethod] = [
        AnyMethod(ApplicationMethods.respondToApplications),
        AnyMethod(ApplicationMethods.listPendencies),
        AnyMethod(ApplicationMethods.deletePendencies),
        AnyMethod(ApplicationMethods.reportPendencies),
        AnyMethod(ApplicationMethods.listApplications),
        AnyMethod(ApplicationMethods.withdrawApplications),
    ]

    static let backup: [AnyMethod] = [
        AnyMethod(BackupMethods.createBackup),
        AnyMethod(BackupMethods.listBackups),
        AnyMethod(BackupMethods.readBackup),
    ]

    static let blacklist: [AnyMethod] = [
        AnyMethod(BlacklistMethods.addToBlacklist),
        AnyMethod(BlacklistMethods.removeFromBlacklist),
        AnyMethod(BlacklistMethods.listBlacklist),
        AnyMethod(BlacklistMethods.checkBlacklist),
        AnyMethod(BlacklistMethods.canSend),
    ]

    static let change: [AnyMethod] = [
        AnyMethod(ChangeMethods.watch),
        AnyMethod(ChangeMethods.listChanges),
        AnyMethod(ChangeMethods.getSequence),
        AnyMethod(ChangeMethods.acquireConsumer),
        AnyMethod(ChangeMethods.acknowledgeChanges),
        AnyMethod(ChangeMethods.listConsumers),
        AnyMethod(ChangeMethods.deleteConsumer),
        AnyMethod(ChangeMethods.explainEvent),
    ]

    static let consent: [AnyMethod] = [
        AnyMethod(ConsentMethods.grantPermissions),
        AnyMethod(ConsentMethods.declinePermissions),
        AnyMethod(ConsentMethods.revokePermissions),
        AnyMethod(ConsentMethods.listPermissions),
        AnyMethod(ConsentMethods.readUser),
        AnyMethod(ConsentMethods.listAppFriends),
    ]

    static let follow: [AnyMethod] = [
        AnyMethod(FollowMethods.follow),
        AnyMethod(FollowMethods.unfollow),
        AnyMethod(FollowMethods.listFollowing),
        AnyMethod(FollowMethods.listFollowers),
        AnyMethod(FollowMethods.listMutualFollows),
        AnyMethod(FollowMethods.checkFollows),
        AnyMethod(FollowMethods.getFollowCounts),
    ]

    static let friend: [AnyMethod] = [
        AnyMethod(FriendMethods.addFriends),
        AnyMethod(FriendMethods.deleteFriends),
        AnyMethod(FriendMethods.deleteAllFriends),
        AnyMethod(FriendMethods.checkFriends),
        AnyMethod(FriendMethods.listFriends),
        AnyMethod(FriendMethods.searchFriends),
        AnyMethod(FriendMethods.getFriends),
        AnyMethod(FriendMethods.updateFriends),
        AnyMethod(FriendMethods.syncFriends),
        AnyMethod(FriendMethods.getRelations),
        AnyMethod(FriendMethods.listMutualFriends),
        AnyMethod(FriendMethods.suggestFriends),
        AnyMethod(FriendMethods.listReverseFriends),
        AnyMethod(FriendMethods.getMutualFriendCounts),
        AnyMethod(FriendMethods.dismissSuggestions),
        AnyMethod(FriendMethods.restoreSuggestions),
        AnyMethod(FriendMethods.listDismissedSuggestions),
    ]

    static let group: [AnyMethod] = [
        AnyMethod(GroupMethods.createFriendGroups),
        AnyMethod(GroupMethods.deleteFriendGroups),
        AnyMethod(GroupMethods.addFriendsToGroup),
        AnyMethod(GroupMethods.removeFriendsFromGroup),
        AnyMethod(GroupMethods.renameFriendGroup),
        AnyMethod(GroupMethods.getFriendGroups),
    ]

    static let hook: [AnyMethod] = [
        AnyMethod(HookMethods.createHook),
        AnyMethod(HookMethods.updateHook),
        AnyMethod(HookMethods.deleteHook),
        AnyMethod(HookMethods.listHooks),
        AnyMethod(HookMethods.rotateHookSecret),
        AnyMethod(HookMethods.replayHook),
        AnyMethod(HookMethods.listHookFailures),
        AnyMethod(HookMethods.testHook),
    ]

    static let invitation: [AnyMethod] = [
        AnyMethod(InvitationMethods.createInvitation),
        AnyMethod(InvitationMethods.listInvitations),
        AnyMethod(InvitationMethods.getInvitation),
        AnyMethod(InvitationMethods.revokeInvitation),
        AnyMethod(InvitationMethods.acceptInvitation),
    ]

    static let maintenance: [AnyMethod] = [
        AnyMethod(MaintenanceMethods.importFriends),
        AnyMethod(MaintenanceMethods.importBlacklists),
        AnyMethod(MaintenanceMethods.importFollows),
        AnyMethod(MaintenanceMethods.importProfiles),
        AnyMethod(MaintenanceMethods.exportApp),
        AnyMethod(MaintenanceMethods.exportUser),
        AnyMethod(MaintenanceMethods.importApp),
        AnyMethod(MaintenanceMethods.checkIntegrity),
        AnyMethod(MaintenanceMethods.getStats),
        AnyMethod(MaintenanceMethods.listHistory),
        AnyMethod(MaintenanceMethods.undoChanges),
        AnyMethod(MaintenanceMethods.listAuditRecords),
    ]

    static let moderation: [AnyMethod] = [
        AnyMethod(ModerationMethods.suspendAccounts),
        AnyMethod(ModerationMethods.reinstateAccounts),
        AnyMethod(ModerationMethods.listSuspensions),
        AnyMethod(ModerationMethods.reportUser),
        AnyMethod(ModerationMethods.listReports),
        AnyMethod(ModerationMethods.resolveReports),
        AnyMethod(ModerationMethods.listReviews),
        AnyMethod(ModerationMethods.decideReviews),
        AnyMethod(ModerationMethods.explainSend),
        AnyMethod(ModerationMethods.explainAddFriend),
        AnyMethod(ModerationMethods.explainFollow),
        AnyMethod(ModerationMethods.explainBlock),
        AnyMethod(ModerationMethods.explainRespond),
        AnyMethod(ModerationMethods.explainAcceptInvitation),
        AnyMethod(ModerationMethods.explainCheckFriend),
        AnyMethod(ModerationMethods.explainProfile),
        AnyMethod(ModerationMethods.explainUpdateProfile),
    ]

    static let presence: [AnyMethod] = [
        AnyMethod(PresenceMethods.reportPresence),
        AnyMethod(PresenceMethods.getPresence),
        AnyMethod(PresenceMethods.setStatus),
    ]

    static let profile: [AnyMethod] = [
        AnyMethod(ProfileMethods.getSelfProfile),
        AnyMethod(ProfileMethods.getProfiles),
        AnyMethod(ProfileMethods.updateProfile),
        AnyMethod(ProfileMethods.findProfileByUniqueID),
        AnyMethod(ProfileMethods.setVisibility),
        AnyMethod(ProfileMethods.getVisibility),
        AnyMethod(ProfileMethods.findUsers),
        AnyMethod(ProfileMethods.setFindSettings),
        AnyMethod(ProfileMethods.getFindSettings),
        AnyMethod(ProfileMethods.setContactDigests),
        AnyMethod(ProfileMethods.getContactDigests),
        AnyMethod(ProfileMethods.findContacts),
    ]

    static let subscription: [AnyMethod] = [
        AnyMethod(SubscriptionMethods.subscribe),
        AnyMethod(SubscriptionMethods.unsubscribe),
        AnyMethod(SubscriptionMethods.querySubscriptions),
        AnyMethod(SubscriptionMethods.listSubscriptions),
    ]
}
