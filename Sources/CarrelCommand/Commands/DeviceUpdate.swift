import ArgumentParser
import Carrel
import Foundation

struct DeviceUpdate: DeviceVerb {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a book's metadata on the device.",
        discussion: """
            Options that are not given change nothing; an empty text clears a value. In a plain folder, only titles, authors and their \
            sort texts can be changed.
            """)
    @OptionGroup var device: DeviceOptions
    @Argument(help: "A book: its uuid, file name or title.")
    var book: String
    @Option var title: String?
    @Option(help: "The text by which the title is sorted.")
    var titleSort: String?
    @Option(name: .customLong("author"), help: "Repeat it for several.")
    var authors: [String] = []
    @Option(help: "The text by which the authors are sorted.")
    var authorSort: String?
    @Option var series: String?
    @Option(help: "The place in the series.")
    var seriesIndex: String?
    @Option var publisher: String?
    @Option(help: ArgumentHelp("The day of publication.", valueName: "yyyy-mm-dd"))
    var published: String?
    @Option(help: "The description, in HTML.")
    var description: String?
    @Option(name: .customLong("subject"), help: "Repeat it for several; they replace all others.")
    var subjects: [String] = []
    @Option(name: .customLong("collection"), help: "Repeat it for several; they replace all others.")
    var collections: [String] = []
    @Option(help: ArgumentHelp("Stars, from 0 to 5.", valueName: "number"))
    var rating: String?
    @Option(help: ArgumentHelp("A picture (JPEG, PNG, GIF or WebP).", valueName: "file"))
    var cover: String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try Device.check(names: [book])
        let isForFolders = [title, titleSort, authorSort].contains { $0 != nil } || !authors.isEmpty
        let isForApplications =
            [series, seriesIndex, publisher, published, description, rating, cover].contains { $0 != nil }
            || !subjects.isEmpty
            || !collections.isEmpty
        if !isForFolders, !isForApplications { throw ValidationError("Give at least one thing to change.") }
        if device.plain != nil, isForApplications {
            throw ValidationError(
                "In a plain folder only --title, --title-sort, --author and --author-sort can be changed.")
        }
        // An application would silently ignore these.
        if let published, !published.isEmpty, !Self.isDay(published) {
            throw ValidationError("--published needs a day, such as 2020-05-17, or an empty text.")
        }
        if let seriesIndex, !seriesIndex.isEmpty, !Self.isNumber(seriesIndex, in: -1e9...1e9) {
            throw ValidationError("--series-index needs a number, such as 2 or 2.5, or an empty text.")
        }
        if let rating, !rating.isEmpty, !Self.isNumber(rating, in: 0...5) {
            throw ValidationError("--rating needs a number from 0 to 5, or an empty text.")
        }
        if let cover, let reason = unreadable(cover) {
            throw ValidationError("The file “\(cover)” cannot be read: \(reason).")
        }
    }

    func perform(_ session: Session) async throws {
        let report = try await PartBar.during(common) { bar -> ShownReport in
            let connected = try await Device.connect(device, session)
            let found = try await connected.books(named: [book], progress: bar.progress(0...0.5))[0]
            switch connected {
            case .application(let application):
                let update = try await changes(of: found)
                return ShownReport(try await application.update([update], progress: bar.progress(0.5...1)))
            case .folder(let driver):
                let edit = PlainFolderEdit(
                    filename: found.filename, title: title, titleSort: titleSort, authors: newAuthors,
                    authorSort: authorSort)
                return ShownReport(try await driver.update([edit]))
            }
        }
        try show(report, as: "updated", session)
    }

    /// The new authors: `nil` leaves them unchanged, an empty text clears them.
    private var newAuthors: [String]? { authors.isEmpty ? nil : authors.filter { !$0.isEmpty } }

    private func changes(of book: LibraryBook) async throws -> UpdatedBook {
        if seriesIndex?.isEmpty == false, (series ?? book.series ?? "").isEmpty {
            throw CommandFailure.usage("The book is not in a series; give --series with --series-index.")
        }
        var reference = book.reference
        if let title { reference.title = title }
        if let newAuthors { reference.author = newAuthors.joined(separator: ", ") }
        var update = UpdatedBook(reference, hasTitle: title != nil, hasAuthor: newAuthors != nil)
        update.authors = newAuthors
        update.authorSort = authorSort
        update.titleSort = titleSort
        update.series = series
        update.seriesIndex = seriesIndex
        update.publisher = publisher
        update.pubDate = published
        update.description = description
        update.subjects = subjects.isEmpty ? nil : subjects.filter { !$0.isEmpty }
        update.collections = collections.isEmpty ? nil : collections.filter { !$0.isEmpty }
        update.rating = rating
        if let cover { update.cover = EncodedCover(picture: try await picture(cover)) }
        return update
    }

    private func picture(_ file: String) async throws -> Data {
        let url = URL(filePath: file)
        let provider = try LocalFileProvider(root: url.deletingLastPathComponent())
        do {
            return try await provider.withReader(path: ProviderPath(url.lastPathComponent)) { reader in
                let (data, extent) = try await reader.read(.range(0..<Self.maxCoverSize))
                guard extent.size <= Self.maxCoverSize else {
                    throw FileError.make(
                        .fileReadTooLarge, path: file,
                        sentence: "A cover is limited to \(Self.maxCoverSize >> 20) MiB.")
                }
                return data
            }
        } catch {
            throw error.at(file)
        }
    }

    private static let maxCoverSize = Int64(MessageLimits().cover)

    /// Whether `text` is a day of the calendar as `YYYY-MM-DD`.
    private static func isDay(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else {
            return false
        }
        let numbers = parts.compactMap { Int($0) }
        let calendar = Calendar(identifier: .gregorian)
        return numbers[0] > 0
            && DateComponents(calendar: calendar, year: numbers[0], month: numbers[1], day: numbers[2]).isValidDate
    }

    /// Whether `text` is a decimal number as applications read it: `Double` alone reads `nan` and hexadecimal digits,
    /// too.
    private static func isNumber(_ text: String, in range: ClosedRange<Double>) -> Bool {
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }) else { return false }
        return Double(text).map(range.contains) ?? false
    }
}
