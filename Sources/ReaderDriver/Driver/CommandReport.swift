import ReaderMessages

/// What came of commands on books that are on a device.
public struct CommandReport: Hashable, Sendable, Codable {
    /// How many books the commands were about, each counted once.
    public var count: Int
    /// With how many of them it was done, as far as the application's messages tell: one that it has something to say
    /// of does not count.
    public var done: Int
    /// What the application has to say; a book that is not mentioned is as it was asked to be. A message about no book,
    /// such as one about the report itself, means no failure.
    public var messages: [StatusMessage]

    /// A report.
    ///
    /// - Parameter done: Nil for all of `count`.
    public init(count: Int = 0, messages: [StatusMessage] = [], done: Int? = nil) {
        self.count = count
        self.done = done ?? count
        self.messages = messages
    }

    /// What is about this book.
    public func messages(about book: BookReference) -> [String] {
        messages.filter { $0.filename == book.filename }.map(\.text)
    }

    /// What came of one command.
    ///
    /// - Parameters:
    ///   - names: The file names of its books.
    ///   - isRefused: Whether nothing of it was carried out.
    init(_ messages: [StatusMessage], about names: [String], isRefused: Bool = false) {
        let reported = Set(messages.compactMap(\.filename))
        self.init(
            count: names.count,
            messages: messages.map { message in
                StatusMessage(
                    LogText.shown(message.text, limit: 1000),
                    about: message.filename.map { LogText.shown($0, limit: 1000) })
            }, done: isRefused ? 0 : names.filter { !reported.contains($0) }.count)
    }

    /// Adds what `other` says.
    mutating func append(_ other: CommandReport) {
        count += other.count
        done += other.done
        messages += other.messages
    }
}

/// What came of bringing a list of books to a device.
public struct SyncReport: Hashable, Sendable, Codable {
    /// Books that got other metadata.
    public var updated: Int
    /// Books that were put into other collections.
    public var collected: Int
    /// What the application has to say.
    public var messages: [StatusMessage]

    /// A report.
    public init(updated: Int = 0, collected: Int = 0, messages: [StatusMessage] = []) {
        self.updated = updated
        self.collected = collected
        self.messages = messages
    }
}
