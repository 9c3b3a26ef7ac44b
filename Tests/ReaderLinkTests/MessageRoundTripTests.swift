import Foundation
import ReaderLink
import Testing

/// The same numbers in every run (SplitMix64).
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func chance() -> Bool { Bool.random(using: &self) }

    mutating func text() -> String {
        let pieces = [
            "a", "Z", "'", "\"", "&", "<", ">", "&amp;", "&squot;", "]]>", "\r", "\n", "\t", " ", "é", "e\u{301}", "🦉",
            "\u{10FFFD}",
            "\u{85}",
            "\u{2028}", "\u{200B}", "<!--", "--", "<collections>", "&#0;", "?>", "[", "] ",
        ]
        return (0..<Int.random(in: 0...12, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    mutating func texts() -> [String] { (0..<Int.random(in: 0...4, using: &self)).map { _ in text() } }

    mutating func maybe<Value>(_ make: (inout Dice) -> Value) -> Value? { chance() ? make(&self) : nil }

    mutating func reference() -> BookReference {
        BookReference(author: text(), filename: text(), title: text(), uuid: text())
    }

    mutating func cover() -> EncodedCover {
        let bytes = (0..<Int.random(in: 0...50, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
        return EncodedCover(picture: Data(bytes), hash: maybe { $0.text() })
    }

    mutating func updated() -> UpdatedBook {
        var book = UpdatedBook(reference(), hasTitle: chance(), hasAuthor: chance())
        if !book.hasTitle { book.reference.title = "" }
        if !book.hasAuthor { book.reference.author = "" }
        book.authors = maybe { $0.texts() }
        book.authorSort = maybe { $0.text() }
        book.titleSort = maybe { $0.text() }
        book.pubDate = maybe { $0.chance() ? "" : "0\(Int.random(in: 100...999, using: &$0))-12-31" }
        book.publisher = maybe { $0.text() }
        book.series = maybe { $0.text() }
        book.seriesIndex = maybe { $0.chance() ? "" : "\(Double.random(in: -5...5, using: &$0))" }
        book.description = maybe { $0.text() }
        book.collections = maybe { $0.texts() }
        book.subjects = maybe { $0.texts() }
        book.cover = maybe { $0.cover() }
        book.rating = maybe { "\(Int.random(in: 0...5, using: &$0))" }
        book.isLocked = maybe { $0.chance() }
        book.wordCount = maybe { Int.random(in: 0...1_000_000, using: &$0) }
        book.newUUID = maybe { $0.text() }
        return book
    }

    mutating func uploaded() -> UploadedBook {
        UploadedBook(
            filename: text(), coverHash: maybe { $0.text() }, collections: texts(), isLocked: maybe { $0.chance() },
            wordCount: maybe { Int.random(in: 0...9, using: &$0) }, cover: maybe { $0.cover() })
    }

    mutating func command() -> ReaderCommand {
        let time = maybe { Double(Int.random(in: 0...4_000_000_000_000, using: &$0)) / 1000 }
        let count = Int.random(in: 0...3, using: &self)
        switch Int.random(in: 0...5, using: &self) {
        case 0: return .deleteBooks(DeleteBooks(timestamp: time, books: (0..<count).map { _ in reference() }))
        case 1:
            return .uploadBooks(
                UploadBooks(timestamp: time, overwrite: chance(), books: (0..<count).map { _ in uploaded() }))
        case 2:
            return .updateMetadata(
                UpdateMetadata(timestamp: time, cleanUpCollections: chance(), books: (0..<count).map { _ in updated() })
            )
        case 3: return .updateMetadataItems(UpdateMetadata(timestamp: time, books: (0..<count).map { _ in updated() }))
        case 4:
            return .rebuildCollections(
                RebuildCollections(
                    timestamp: time, books: (0..<count).map { _ in CollectedBook(reference(), collections: texts()) }))
        default:
            let parameters = Dictionary(texts().map { ($0, text()) }) { first, _ in first }
            return .action(
                ReaderAction(
                    timestamp: time, type: "Lock", books: (0..<count).map { _ in reference() }, parameters: parameters))
        }
    }
}

struct MessageRoundTripTests {
    @Test(arguments: 0..<20) func `what is written is read as it was`(seed: UInt64) throws {
        var dice = Dice(state: seed)
        for _ in 0..<50 {
            let command = dice.command()
            for isLegacy in [true, false] {
                let coding = MessageCoding.with {
                    ($0.readsLegacyForms, $0.writesByteOrderMark) = (isLegacy, dice.chance())
                }
                let (read, notes) = try coding.command(named: command.kind.fileName, in: coding.data(for: command))
                #expect(read == command && notes.warnings.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<20) func `a status is read as it was written`(seed: UInt64) throws {
        var dice = Dice(state: seed)
        for _ in 0..<50 {
            let code =
                [CommandStatus.Code.inProgress, .success, .warnings, .failure, .cancelled].randomElement(using: &dice)
                ?? .success
            let progress = code == .inProgress ? Double(Int.random(in: 0..<1_000_000, using: &dice)) / 1_000_000 : 1
            let messages = (0..<Int.random(in: 0...3, using: &dice)).map {
                StatusMessage("is \"no\" <book> & no 🦉.", about: "a'\($0).epub")
            }
            let status = CommandStatus(
                timestamp: 1.5, code: code, progress: progress, messages: messages, command: "upload_books.xml")
            #expect(try MessageCoding().status(in: MessageCoding().data(for: status)) == status)
        }
    }

    @Test(arguments: 0..<20)
    func `bytes that were changed or lost never crash a reader, and what is read can be written`(seed: UInt64)
        throws
    {
        var dice = Dice(state: seed)
        let coding = MessageCoding()
        var readable = 0
        for _ in 0..<100 {
            let command = dice.command()
            var data = try coding.data(for: command)
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let index = Int.random(in: 0..<data.count, using: &dice)
                data[index] =
                    dice.chance()
                    ? UInt8.random(in: 0...255, using: &dice)
                    : (Array("<>&'\"/![]-?=;".utf8).randomElement(using: &dice) ?? 0)
            }
            // Most are malformed.
            guard let read = try? coding.command(named: command.kind.fileName, in: data).command else { continue }
            readable += 1
            #expect(try coding.command(named: command.kind.fileName, in: coding.data(for: read)).command == read)
        }
        #expect(readable > 5, "\(readable)")
    }
}
