/// The pages of a list, read from the server one after the other.
///
/// ```swift
/// let request = ListFriendsRequest.with {
///     $0.userID = "alice"
///     $0.order = .displayName
/// }
/// for try await page in client.pages(FriendMethods.listFriends, request) {
///     print(page.friends.count, "of", page.totalSize)
/// }
/// ```
///
/// A page is asked for when the reader wants it, by one call. It may be shorter than was asked, and
/// even empty: only a page without a token is the last.
///
/// An error ends the loop. A reader that calls `next()` itself may call it again after an error:
/// the page that failed is then asked for again.
public struct Pages<Page: Sendable>: AsyncSequence, Sendable {
    /// A page, as the server answered it.
    public typealias Element = Page

    /// Reads the page at a token, or the first page if there is none, and returns the next token.
    typealias Read = @Sendable (_ token: String?) async throws -> (page: Page, next: String)

    private let read: Read

    init(_ read: @escaping Read) {
        self.read = read
    }

    /// A reader that begins with the first page; each reader makes calls of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(read)
    }

    /// One reader of the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Position {
            case first
            case token(String)
            case end
        }

        private let read: Read
        private var position = Position.first

        init(_ read: @escaping Read) {
            self.read = read
        }

        /// Reads the next page; nil after the last one.
        ///
        /// - Throws: ``CallError`` if the call failed; `CancellationError`.
        public mutating func next() async throws -> Page? {
            let token: String?
            switch position {
            case .first: token = nil
            case .token(let next): token = next
            case .end: return nil
            }
            try Task.checkCancellation()
            let (page, next) = try await read(token)
            position = next.isEmpty ? .end : .token(next)
            return page
        }
    }
}

/// The items of a list, read from the server page by page.
///
/// ```swift
/// for try await friend in client.friends(of: "alice") {
///     print(friend.userID, friend.remark)
/// }
/// ```
///
/// A page is asked for when all items of the page before it have been taken. So a loop that ends
/// early does not read the rest of the list.
///
/// An error ends the loop. A reader that calls `next()` itself may call it again after an error:
/// the page that failed is then asked for again.
public struct Items<Item: Sendable>: AsyncSequence, Sendable {
    /// An item of the list.
    public typealias Element = Item

    private let pages: Pages<[Item]>

    init(_ read: @escaping Pages<[Item]>.Read) {
        pages = Pages(read)
    }

    /// A reader that begins with the first item; each reader makes calls of its own.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages.makeAsyncIterator())
    }

    /// One reader of the items.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var pages: Pages<[Item]>.AsyncIterator
        private var page: [Item] = []
        private var index = 0

        init(_ pages: Pages<[Item]>.AsyncIterator) {
            self.pages = pages
        }

        /// Gives the next item, and reads another page if one is needed; nil after the last item.
        ///
        /// - Throws: ``CallError`` if the call failed; ``RelationAPI/ListRefusal`` if the server
        ///   gave no list; `CancellationError`.
        public mutating func next() async throws -> Item? {
            // A page may be empty and still not be the last.
            while index == page.count {
                guard let next = try await pages.next() else { return nil }
                page = next
                index = 0
            }
            defer { index += 1 }
            return page[index]
        }
    }

    /// All items, read to the end.
    ///
    /// The whole list is then in memory: use a loop for a list that may be long.
    ///
    /// ```swift
    /// let blocked = try await client.blacklist(of: "alice").all()
    /// ```
    ///
    /// - Throws: The same errors as a loop.
    public func all() async throws -> [Item] {
        var items: [Item] = []
        for try await item in self { items.append(item) }
        return items
    }
}

extension Client {
    /// Reads a list page by page.
    ///
    /// The first page is the one that `request` names: its page token, if it has one, is where the
    /// reading begins.
    ///
    /// - Parameters:
    ///   - method: A call whose answer is one page of a list, such as
    ///     ``RelationAPI/FriendMethods/syncFriends``.
    ///   - request: The list, and the size of its pages; 0 means that the server chooses the size.
    ///   - options: The settings of the call of each page.
    public func pages<Request: PagedRequest, Page: PagedAnswer>(
        _ method: Method<Request, Page>, _ request: Request, options: CallOptions = CallOptions()
    ) -> Pages<Page> {
        Pages { [self] token in
            var request = request
            if let token { request.advance(to: token) }
            let page = try await call(method, request, options: options)
            return (page, page.nextPageToken)
        }
    }

    /// Reads the items of a list, page by page.
    ///
    /// - Parameters:
    ///   - method: A call whose answer is one page of a list, such as
    ///     ``RelationAPI/FriendMethods/listFriends``.
    ///   - request: The list, and the size of its pages; 0 means that the server chooses the size.
    ///   - options: The settings of the call of each page.
    public func items<Request: PagedRequest, Page: PagedList>(
        of method: Method<Request, Page>, _ request: Request, options: CallOptions = CallOptions()
    ) -> Items<Page.Item> {
        Items { [self] token in
            var request = request
            if let token { request.advance(to: token) }
            let page = try await call(method, request, options: options)
            if let refusal = page.refusal { throw refusal }
            return (page.pageItems, page.nextPageToken)
        }
    }
}
