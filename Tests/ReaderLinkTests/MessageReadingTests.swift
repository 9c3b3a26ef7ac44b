import Foundation
import ReaderLink
import Testing

struct MessageReadingTests {
    private let coding = MessageCoding()
    private let strict = MessageCoding.with { $0.readsLegacyForms = false }
    private let body = "<deletebooks timestamp='5.5'><manifest><book title='é'/></manifest></deletebooks>"

    private func title(_ data: Data) throws -> String? {
        guard case .deleteBooks(let delete) = try coding.command(named: "delete_books.xml", in: data).command else {
            return nil
        }
        return delete.books.first?.title
    }

    @Test(arguments: [
        "", "\u{FEFF}", " \r\n\t", "<?xml version='1.0' encoding='utf-8'?>",
        "<?XML VERSION=\"1.0\" Encoding=\"UTF-8\" standalone='yes' ?>\n",
        "\u{FEFF}<?xml version='1.0'?><!-- a - b --><?style sheet?>", " \n<?xml version='1.0' encoding='latin1'?>",
        "<?xml version='1.0' encoding='utf-8?>", "<?xml-style a?>",
    ])
    func `a message may begin in many ways`(beginning: String) throws {
        #expect(try title(Data((beginning + body).utf8)) == "é")
    }

    @Test(arguments: [false, true]) func `UTF-16 is read by its byte order mark`(isBigEndian: Bool) throws {
        let units = ("\u{FEFF}<?xml version='1.0' encoding='utf-16'?>" + body).utf16
        let data = Data(
            units.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)] })
        #expect(try title(data) == "é")
        #expect(failureKind { _ = try title(data.dropFirst(2)) } == .malformed)
    }

    @Test(arguments: [
        "\u{FEFF}\u{FEFF}<deletebooks><manifest/></deletebooks>", "x<deletebooks><manifest/></deletebooks>",
        "<deletebooks><manifest/></deletebooks>x", "<deletebooks><manifest/></deletebooks><deletebooks/>",
        "<deletebooks/>",
        "<uploadbooks><manifest/></uploadbooks>", "<DeleteBooks><manifest/></DeleteBooks>",
        "<deletebooks><manifest></deletebooks>",
        "<deletebooks a='1' a='2'><manifest/></deletebooks>", "<deletebooks a=1><manifest/></deletebooks>",
        "<deletebooks a='1'b='2'><manifest/></deletebooks>", "<deletebooks a='<'><manifest/></deletebooks>",
        "<deletebooks a><manifest/></deletebooks>", "<deletebooks>]]><manifest/></deletebooks>",
        "<deletebooks>&#0;<manifest/></deletebooks>",
        "<deletebooks>&#xD800;<manifest/></deletebooks>", "<deletebooks>&#99999999999;<manifest/></deletebooks>",
        "<!-- a -- b --><deletebooks><manifest/></deletebooks>",
        "<deletebooks><?xml version='1.0'?><manifest/></deletebooks>",
        "<?xml version='1.0' other='1'?><deletebooks><manifest/></deletebooks>",
        "<deletebooks><![OTHER[]]><manifest/></deletebooks>",
        "<deletebooks / ><manifest/></deletebooks>", "<![CDATA[x]]><deletebooks><manifest/></deletebooks>",
    ])
    func `what is not right is malformed`(text: String) {
        #expect(failureKind { _ = try coding.command(.deleteBooks, text) } == .malformed)
    }

    @Test func `bytes that are no UTF-8 are malformed`() {
        let data = Data("<deletebooks a='".utf8) + Data([0xE9]) + Data("'><manifest/></deletebooks>".utf8)
        #expect(failureKind { _ = try coding.command(named: "delete_books.xml", in: data) } == .malformed)
    }

    @Test(arguments: [
        "<?xml version='1.0' encoding='utf-8?><deletebooks><manifest/></deletebooks>",
        "<deletebooks timestamp=timestamp='5'><manifest/></deletebooks>",
        "<deletebooks><manifest>a & b</manifest></deletebooks>",
        "<deletebooks><manifest>&squot;</manifest></deletebooks>",
        "<deletebooks><manifest>&eacute;</manifest></deletebooks>",
    ])
    func `the mistakes of known drivers are mended with a warning, and only if wanted`(text: String) throws {
        #expect(try coding.command(.deleteBooks, text).notes.warnings.count == 1)
        #expect(failureKind { _ = try strict.command(.deleteBooks, text) } == .malformed)
    }

    @Test func `collections that are opened again are closed`() throws {
        let text = "<collections><collection>a</collection><collections>"
        #expect(try coding.updatedBook("", text).book?.collections == ["a"])
        #expect(failureKind { _ = try strict.updatedBook("", text) } == .malformed)
        // Nothing of what is right already is taken for it.
        #expect(
            try coding.updatedBook("", "<collections><collections/><collection>a</collection></collections>").book?
                .collections == ["a"])
    }

    @Test(arguments: [
        ("Fish & Chips", "Fish & Chips"), ("AT&T;", "AT&T;"), ("&amp;amp;", "&amp;"), ("&lt;&gt;&quot;&apos;", "<>\"'"),
        ("&#65;&#x1F989;", "A🦉"), ("it&squot;s", "it's"), ("&eacute;", "&eacute;"), ("&", "&"), ("&&amp;", "&&"),
        ("&#;&#x;", "&#;&#x;"),
        ("&#13;&#10;&#9;", "\r\n\t"), ("a\r\nb\rc", "a\nb\nc"), ("<![CDATA[&amp;<b>]]]]>", "&amp;<b>]]"),
        ("a<!-- & -->b", "ab"),
        ("a<x>no</x>b", "ab"), (" a ", " a "), ("\u{0}\u{B}\u{FFFE}", "\u{FFFD}\u{FFFD}\u{FFFD}"), ("a]b", "a]b"),
    ])
    func `text is read as it was meant`(written: String, meant: String) throws {
        #expect(try coding.updatedBook("", "<description>\(written)</description>").book?.description == meant)
    }

    @Test(arguments: [
        ("' a\t\r\nb '", " a  b "), ("\"it's &quot;\"", "it's \""), ("'&#10;&#xD;&#9;'", "\n\r\t"),
        ("'a & b'", "a & b"),
        ("'>]]>'", ">]]>"),
        ("'\u{1}'", "\u{FFFD}"),
    ])
    func `attributes are read as they were meant`(written: String, meant: String) throws {
        #expect(try coding.updatedBook("title=\(written)").book?.reference.title == meant)
    }

    @Test func `what is not known is passed over`() throws {
        let (book, notes) = try coding.updatedBook(
            "x:title='no' odd='1' title='yes'",
            "<x:description>no</x:description><odd><description>no</description></odd>")
        #expect(book == UpdatedBook(BookReference(title: "yes"), hasAuthor: false))
        #expect(notes.warnings.isEmpty)
    }

    @Test func `nothing and something empty are told apart`() throws {
        let absent = try #require(try coding.updatedBook("").book)
        #expect(absent == UpdatedBook(BookReference(), hasTitle: false, hasAuthor: false))
        let empty = try #require(
            try coding.updatedBook(
                "title='' author='' series='' seriesindex=' ' pubdate=''",
                "<collections/><subjects></subjects><description/>"
            ).book)
        #expect(
            empty.hasTitle && empty.hasAuthor && empty.series == "" && empty.seriesIndex == "" && empty.pubDate == "")
        #expect(empty.collections == [] && empty.subjects == [] && empty.description == "" && empty.authors == nil)
    }

    @Test(arguments: [
        ("2013-06-19", "2013-06-19"), (" 2013-06-19T23:59:59+02:00 ", "2013-06-19"), ("2013-06-19 10:00", "2013-06-19"),
        ("2013", "2013-01-01"),
        ("2013-06", "2013-06-01"), ("101-1-1", "0101-01-01"), ("2012-02-29", "2012-02-29"), ("", ""),
        ("2013-02-29", nil),
        ("YYYY-MM-DD", nil),
        ("2013-13-01", nil), ("13", nil), ("0000-01-01", nil), ("2013-06-19-01", nil), ("-2013-06-19", nil),
        ("٢٠١٣", nil),
    ])
    func `days come in many forms`(written: String, meant: String?) throws {
        let (book, notes) = try coding.updatedBook("pubdate='\(written)'")
        #expect(book?.pubDate == meant && notes.warnings.isEmpty == (meant != nil))
    }

    @Test(arguments: [
        ("0", "0"), (" 1,5 ", "1.5"), ("2.0", "2.0"), ("", ""), ("nan", nil), ("0x1p3", nil), ("1e400", nil),
        ("1.000,5", nil),
        ("one", nil),
    ])
    func `places in a series are decimal numbers`(written: String, meant: String?) throws {
        let (book, notes) = try coding.updatedBook("seriesindex='\(written)'")
        #expect(book?.seriesIndex == meant && notes.warnings.isEmpty == (meant != nil))
    }

    @Test(arguments: [("5", "5"), ("2.0", "2.0"), ("", ""), ("6", nil), ("-1", nil), ("inf", nil)])
    func `ratings go from 0 to 5`(written: String, meant: String?) throws {
        #expect(try coding.updatedBook("rating='\(written)'").book?.rating == meant)
    }

    @Test(arguments: [
        ("overwrite='yes'", true), ("overwrite=' YES '", true), ("overwrite='true'", true), ("overwrite='no'", false),
        ("overwrite=''", false),
        ("overwrite='1'", false), ("", false),
    ])
    func `a book is replaced only where the command clearly says so`(attribute: String, isReplaced: Bool) throws {
        let command = try coding.command(.uploadBooks, "<uploadbooks \(attribute)><manifest/></uploadbooks>").command
        #expect(command == .uploadBooks(UploadBooks(overwrite: isReplaced, books: [])))
    }

    @Test(arguments: [
        ("1364148473.0", 1_364_148_473.0), (" 12 ", 12), ("1,5", 1.5), ("-1", nil), ("nan", nil), ("1e300", nil),
        ("253402300800", nil),
        ("", nil),
    ])
    func `a timestamp beyond belief counts as none, and its text is kept`(written: String, meant: Double?) throws {
        let (command, notes) = try coding.command(
            .deleteBooks, "<deletebooks timestamp='\(written)'><manifest/></deletebooks>")
        #expect(command.timestamp == meant && notes.timestampText == written)
    }

    @Test func `a command needs a known name, and an action a type`() {
        #expect(failureKind { _ = try coding.command(named: "other.xml", in: Data(body.utf8)) } == .malformed)
        #expect(
            failureKind { _ = try coding.command(.action, "<command type=' '><manifest/></command>") } == .malformed)
        let twice = "<command type='a'><parameters><parameter name='n'/><parameter name='n'/></parameters></command>"
        #expect(failureKind { _ = try coding.command(.action, twice) } == .malformed)
    }
}
