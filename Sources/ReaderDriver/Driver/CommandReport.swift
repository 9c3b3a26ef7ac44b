import ReaderMessages

/// The result of commands on books that are on a device.
public struct CommandReport: Hashable, Sendable, Codable {
    /// The number of books that the commands were about, each counted once.
    public var count: Int
    /// The number of books that succeeded according to the application's messages. A book with a message doesn't count.
    public var done: Int
    /// The application's messages. A book without a message was processed as requested. A message that is about no
    /// book, such as one about the report itself, is not a failure.
    public var messages: [StatusMessage]

    /// Creates a report.
    ///
    /// - Parameter done: `nil` means all of `count`.
    public init(count: Int = 0, messages: [StatusMessage] = [], done: Int? = nil) {
        self.count = count
        self.done = done ?? count
        self.messages = messages
    }

    /// Returns the messages about this book.
    public func messages(about book: BookReference) -> [String] {
        messages.filter { $0.filename == book.filename }.map(\.text)
    }

    /// Creates the report on one command.
    ///
    /// - Parameters:
    ///   - names: The file names of its books.
    ///   - isRefused: Whether the application carried out none of it.
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

    /// Adds the results of `other`.
    mutating func append(_ other: CommandReport) {
        count += other.count
        done += other.done
        messages += other.messages
    }
}

/// The result of syncing a list of books to a device.
public struct SyncReport: Hashable, Sendable, Codable {
    /// The number of books whose metadata changed.
    public var updated: Int
    /// The number of books whose collections changed.
    public var collected: Int
    /// The application's messages.
    public var messages: [StatusMessage]

    /// Creates a report.
    public init(updated: Int = 0, collected: Int = 0, messages: [StatusMessage] = []) {
        self.updated = updated
        self.collected = collected
        self.messages = messages
    }
}
