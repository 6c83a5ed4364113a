// The lists of an app's operators and moderators, as those of its users are in `Client+Lists`.

extension Client {
    /// The suspensions of the app that hold, in the order of the bytes of the users' ids.
    ///
    /// - Parameters:
    ///   - pageSize: The most suspensions that one call answers.
    ///   - options: The settings of the call of each page.
    public func suspensions(
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<Suspension> {
        let request = ListSuspensionsRequest.with { $0.pageSize = pageSize }
        return items(of: ModerationMethods.listSuspensions, request, options: options)
    }

    /// The reports of users about others, the latest first.
    ///
    /// - Parameters:
    ///   - reportedUserID: The user that they are about; empty means all.
    ///   - onlyOpen: Whether to leave out reports that are closed.
    ///   - pageSize: The most reports that one call looks at.
    ///   - options: The settings of the call of each page.
    public func reports(
        about reportedUserID: String = "", onlyOpen: Bool = false, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<UserReport> {
        let request = ListReportsRequest.with {
            $0.pageSize = pageSize
            $0.reportedUserID = reportedUserID
            $0.onlyOpen = onlyOpen
        }
        return items(of: ModerationMethods.listReports, request, options: options)
    }

    /// The fields of profiles and of friends' rows under review, the one that waits longest first.
    ///
    /// - Parameters:
    ///   - reviewedUserID: The user whose profile it is, or who has the friend; empty means all.
    ///   - state: The state of the reviews; unspecified means all.
    ///   - pageSize: The most reviews that one call looks at.
    ///   - options: The settings of the call of each page.
    public func reviews(
        of reviewedUserID: String = "", state: ReviewState = .unspecified, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<ProfileReview> {
        let request = ListReviewsRequest.with {
            $0.pageSize = pageSize
            $0.reviewedUserID = reviewedUserID
            $0.state = state
        }
        return items(of: ModerationMethods.listReviews, request, options: options)
    }

    /// The webhooks of the app, in the order of their ids, with how far each has come.
    ///
    /// - Parameters:
    ///   - pageSize: The most webhooks that one call answers.
    ///   - options: The settings of the call of each page.
    public func hooks(pageSize: Int32 = 0, options: CallOptions = CallOptions()) -> Items<Hook> {
        items(
            of: HookMethods.listHooks, ListHooksRequest.with { $0.pageSize = pageSize },
            options: options)
    }

    /// The last failed requests of a webhook, the latest first.
    ///
    /// - Parameters:
    ///   - hookID: The webhook.
    ///   - pageSize: The most failures that one call answers.
    ///   - options: The settings of the call of each page.
    public func hookFailures(
        of hookID: String, pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<HookFailure> {
        let request = ListHookFailuresRequest.with {
            $0.pageSize = pageSize
            $0.hookID = hookID
        }
        return items(of: HookMethods.listHookFailures, request, options: options)
    }

    /// The consumers of the app's changes.
    ///
    /// - Parameters:
    ///   - pageSize: The most consumers that one call answers.
    ///   - options: The settings of the call of each page.
    public func consumers(
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<Consumer> {
        let request = ListConsumersRequest.with { $0.pageSize = pageSize }
        return items(of: ChangeMethods.listConsumers, request, options: options)
    }

    /// The records of the app's audit, the oldest first.
    ///
    /// - Parameters:
    ///   - sequence: The sequence after which they begin; 0 begins with the oldest that is kept.
    ///   - ofServer: Whether to list the server's own audit instead, as an operator.
    ///   - pageSize: The most records that one call answers.
    ///   - options: The settings of the call of each page.
    public func auditRecords(
        after sequence: Int64 = 0, ofServer: Bool = false, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<AuditRecord> {
        let request = ListAuditRecordsRequest.with {
            $0.pageSize = pageSize
            $0.ofServer = ofServer
            $0.afterSequence = sequence
        }
        return items(of: MaintenanceMethods.listAuditRecords, request, options: options)
    }

    /// The accounts of the app.
    ///
    /// - Parameters:
    ///   - pageSize: The most accounts that one call answers.
    ///   - options: The settings of the call of each page.
    public func accounts(
        pageSize: Int32 = 0, options: CallOptions = CallOptions()
    ) -> Items<Account> {
        let request = ListAccountsRequest.with { $0.pageSize = pageSize }
        return items(of: AccountMethods.listAccounts, request, options: options)
    }

    /// The custom fields that the app has defined.
    ///
    /// - Parameters:
    ///   - owner: The kind of row whose fields are listed; all kinds if it is not given.
    ///   - withRetired: Whether to list the retired fields too.
    ///   - pageSize: The most fields that one call answers.
    ///   - options: The settings of the call of each page.
    public func customFields(
        of owner: CustomFieldOwner = .unspecified, withRetired: Bool = false, pageSize: Int32 = 0,
        options: CallOptions = CallOptions()
    ) -> Items<CustomFieldMessage> {
        let request = ListCustomFieldsRequest.with {
            $0.pageSize = pageSize
            $0.owner = owner
            $0.withRetired = withRetired
        }
        return items(of: AppMethods.listCustomFields, request, options: options)
    }
}
