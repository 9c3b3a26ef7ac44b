import Foundation
import ReaderLink
import Testing

struct MessageHostilityTests {
    private let coding = MessageCoding()

    private func kind(_ text: String, _ coding: MessageCoding = MessageCoding()) -> MessageFailure.Kind? {
        failureKind { _ = try coding.command(.deleteBooks, text) }
    }

    @Test(arguments: [
        "<!DOCTYPE deletebooks><deletebooks><manifest/></deletebooks>", "<!doctype deletebooks>",
        "<deletebooks><!DocType x></deletebooks>",
        "<?xml version='1.0'?><!DOCTYPE d [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><deletebooks>&b;</deletebooks>",
        "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><deletebooks><manifest><book title='&x;'/></manifest></deletebooks>",
        "<deletebooks><!ENTITY a 'b'><manifest/></deletebooks>",
    ])
    func `a document type is hostile wherever it stands`(text: String) {
        #expect(kind(text) == .hostile)
        #expect(kind(text, .with { $0.readsLegacyForms = false }) == .hostile)
    }

    @Test(arguments: ["<deletebooks><manifest><![CDATA[<!DOCTYPE x>]]><!-- <!DOCTYPE x> --></manifest></deletebooks>"])
    func `words about document types are none`(text: String) { #expect(kind(text) == nil) }

    @Test func `an entity that nothing declares stays as it is written`() throws {
        let (book, notes) = try coding.updatedBook("title='&xxe;'")
        #expect(book?.reference.title == "&xxe;" && notes.warnings.count == 1)
    }

    @Test func `limits hold to the last one that is allowed`() {
        func command(_ depth: Int, books: Int, attribute: Int) -> String {
            let book = "<book title='\(String(repeating: "é", count: attribute / 2))'/>"
            let nested = String(repeating: "<x>", count: depth - 2) + String(repeating: "</x>", count: depth - 2)
            return "<deletebooks><manifest>\(nested)\(String(repeating: book, count: books))</manifest></deletebooks>"
        }
        let coding = MessageCoding.with { ($0.limits.depth, $0.limits.books, $0.limits.attribute) = (8, 5, 100) }
        #expect(kind(command(8, books: 5, attribute: 100), coding) == nil)
        #expect(kind(command(9, books: 5, attribute: 100), coding) == .hostile)
        #expect(kind(command(8, books: 6, attribute: 100), coding) == .hostile)
        #expect(kind(command(8, books: 5, attribute: 102), coding) == .hostile)
    }

    @Test func `bytes, elements, attributes and names have limits`() {
        let text = "<deletebooks a='1' b='2'><manifest/></deletebooks>"
        #expect(kind(text, .with { $0.limits.command = text.utf8.count }) == nil)
        #expect(kind(text, .with { $0.limits.command = text.utf8.count - 1 }) == .hostile)
        #expect(kind(text, .with { $0.limits.elements = 1 }) == .hostile)
        #expect(kind(text, .with { $0.limits.attributes = 1 }) == .hostile)
        #expect(kind("<\(String(repeating: "n", count: 1000))/>") == .hostile)
        #expect(failureKind { _ = try coding.status(in: Data(count: (1 << 20) + 1)) } == .hostile)
    }

    @Test(arguments: [3, 4]) func `a cover is measured as it is when decoded`(limit: Int) {
        let coding = MessageCoding.with { $0.limits.cover = limit }
        let isTaken =
            failureKind { _ = try coding.updatedBook("", "<cover hash='0' encoding='base64'> YWJj\n ZA== </cover>") }
            == nil
        #expect(isTaken == (limit == 4))
        var book = UpdatedBook(MessageSamples.reference)
        book.cover = EncodedCover(picture: Data("abcd".utf8))
        let command = ReaderCommand.updateMetadata(UpdateMetadata(books: [book]))
        #expect(failureKind { _ = try coding.data(for: command) } == (limit == 4 ? nil : .hostile))
    }

    @Test(.timeLimit(.minutes(3))) func `the largest cover is read as it was written`() throws {
        var book = UpdatedBook(MessageSamples.reference)
        book.cover = EncodedCover(hash: "0", text: String(repeating: "AAAA", count: (16 << 20) / 3))
        let command = ReaderCommand.updateMetadata(UpdateMetadata(books: [book]))
        #expect(try coding.command(named: "update_metadata.xml", in: coding.data(for: command)).command == command)
    }

    @Test func `what no peer takes is not written`() {
        let longTitle = DeleteBooks(books: [BookReference(title: String(repeating: "\u{0}", count: 30_000))])
        #expect(failureKind { _ = try coding.data(for: .deleteBooks(longTitle)) } == .hostile)
        let many = DeleteBooks(books: Array(repeating: BookReference(), count: 10_001))
        #expect(failureKind { _ = try coding.data(for: .deleteBooks(many)) } == .hostile)
        let small = MessageCoding.with { $0.limits.command = 100 }
        #expect(failureKind { _ = try small.data(for: MessageSamples.commands[0]) } == .hostile)
    }

    @Test(
        .timeLimit(.minutes(3)),
        arguments: [
            ("<!--", "- ", .incomplete), ("<!--", "-", .malformed), ("<deletebooks a='", "x", .hostile),
            ("<deletebooks ", "x", .hostile),
            ("<deletebooks ", " ", .incomplete), ("<?pi ", "?", .incomplete), ("<deletebooks>", "&", .incomplete),
            ("<deletebooks>", "&#x11", .incomplete), ("<deletebooks><![CDATA[", "]]", .incomplete),
            ("<deletebooks>", "<a>", .hostile),
            ("<deletebooks>", "<a/>", .hostile), ("<deletebooks>", "</a>", .malformed),
            ("<deletebooks>", "\u{0}", .incomplete),
            ("<deletebooks>", "<", .malformed), (" ", " ", .incomplete), ("<?xml ", " ", .incomplete),
            ("<?xml version='", "?", .malformed),
            ("<deletebooks ", "timestamp=", .malformed), ("<deletebooks><manifest>", "<book/>", .hostile),
        ] as [(String, String, MessageFailure.Kind)])
    func `what never ends is told in good time`(start: String, more: String, kind: MessageFailure.Kind) {
        let coding = MessageCoding.with { $0.limits.elements = 20_000 }
        #expect(self.kind(start + String(repeating: more, count: 200_000 / more.utf8.count), coding) == kind)
    }

    @Test(.timeLimit(.minutes(3))) func `a text of 100 MB is refused before it is looked at`() {
        let data = Data("<deletebooks>".utf8) + Data(repeating: 0x78, count: 100_000_000)
        #expect(failureKind { _ = try coding.command(named: "delete_books.xml", in: data) } == .hostile)
    }

    @Test func `warnings do not grow with what is wrong`() throws {
        let books = (0..<1000).map { "<book pubdate='\($0)x'/>" }.joined()
        let notes = try coding.command(
            .updateMetadata, "<updatemetadata><manifest>\(books)</manifest></updatemetadata>"
        ).notes
        #expect(notes.warnings.count == MessageNotes.maxWarnings)
    }

    @Test func `a reason shows nothing that does something to a terminal`() {
        do {
            _ = try coding.command(.deleteBooks, "<a\u{202E}\u{85}b/>")
        } catch {
            #expect(error.localizedDescription.unicodeScalars.allSatisfy { $0 != "\u{202E}" && $0 != "\u{85}" })
        }
    }
}
