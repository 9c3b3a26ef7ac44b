import Foundation
import ReaderLink

/// Messages to try readers and writers on.
enum MessageSamples {
    static let reference = BookReference(author: "A. Author", filename: "a.epub", title: "A Title", uuid: "6f1c")
    static let time = 1_364_148_473.0

    /// One command of each kind with everything that it can hold.
    static let commands: [ReaderCommand] = [
        .deleteBooks(DeleteBooks(timestamp: time, books: [reference, BookReference()])),
        .uploadBooks(
            UploadBooks(
                timestamp: time, overwrite: true,
                books: [uploaded, UploadedBook(filename: "b.epub", collections: [""])])),
        .updateMetadata(UpdateMetadata(timestamp: time, books: [updated, UpdatedBook(reference)])),
        .updateMetadataItems(UpdateMetadata(timestamp: time + 0.25, cleanUpCollections: false, books: [partly])),
        .rebuildCollections(
            RebuildCollections(timestamp: time, books: [CollectedBook(reference, collections: ["Fish & Chips", "é"])])),
        .action(ReaderAction(timestamp: time, type: "LockBooks", books: [reference])),
        .action(
            ReaderAction(
                type: "UpdateGlobalCollections", parameters: ["action": "rename", "name": "a", "newname": " b "])),
    ]

    static let statuses = [
        CommandStatus(
            timestamp: time, code: .inProgress, progress: 0.2, command: "upload_books.xml",
            commandTimestamp: "1364148473.0"),
        CommandStatus(
            timestamp: time, code: .warnings, progress: 1, messages: [StatusMessage("is no book.", about: "a.epub")]),
    ]

    static let connected = ConnectedMessage(
        timestamp: time, state: .online, attributes: ["device": "reader's", "marvin": "2.6.2"], hasPassword: false)

    private static var uploaded: UploadedBook {
        UploadedBook(
            filename: "a.epub", coverHash: "0", collections: ["NEW", "<b>"], isLocked: true, wordCount: 12,
            cover: EncodedCover(picture: Data([1, 2, 3]), hash: "h"))
    }

    private static var updated: UpdatedBook {
        var book = UpdatedBook(reference)
        book.authors = ["A. Author", "B."]
        book.authorSort = "Author, A."
        book.titleSort = "Title, A"
        book.pubDate = "2013-06-19"
        book.publisher = "P & \"Q\" 'R'"
        book.series = ""
        book.seriesIndex = "0"
        book.description = "<p class=\"x\">one\r\ntwo &amp; 🦉</p>"
        book.collections = []
        book.subjects = ["s"]
        book.cover = EncodedCover(picture: Data(0...255))
        book.rating = "4.5"
        book.isLocked = false
        book.wordCount = 0
        book.newUUID = "new"
        return book
    }

    private static var partly: UpdatedBook {
        var book = UpdatedBook(BookReference(filename: "a.epub"), hasTitle: false, hasAuthor: false)
        book.rating = ""
        return book
    }
}

extension MessageCoding {
    /// A coding for tests that set what they need.
    static func with(_ change: (inout MessageCoding) -> Void) -> MessageCoding {
        var coding = MessageCoding()
        change(&coding)
        return coding
    }

    /// A command from text.
    func command(_ kind: ReaderCommand.Kind, _ text: String) throws -> (command: ReaderCommand, notes: MessageNotes) {
        try command(named: kind.fileName, in: Data(text.utf8))
    }

    /// The only book of a metadata command with these attributes and contents.
    func updatedBook(_ attributes: String, _ contents: String = "") throws -> (book: UpdatedBook?, notes: MessageNotes)
    {
        let text = "<updatemetadata><manifest><book \(attributes)>\(contents)</book></manifest></updatemetadata>"
        let (command, notes) = try command(.updateMetadata, text)
        guard case .updateMetadata(let update) = command else { return (nil, notes) }
        return (update.books.first, notes)
    }
}

/// How a message fails to be read; nil if it does not.
func failureKind(_ body: () throws -> Void) -> MessageFailure.Kind? {
    do {
        try body()
        return nil
    } catch {
        return (error as? MessageFailure)?.kind
    }
}
