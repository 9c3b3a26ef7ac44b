import Foundation
import ReaderLink
import Testing

struct MessageWritingTests {
    private let coding = MessageCoding.with { $0.writesByteOrderMark = false }
    private let declaration = "<?xml version='1.0' encoding='utf-8'?>\n"

    private func text(_ command: ReaderCommand) throws -> String {
        String(decoding: try coding.data(for: command), as: UTF8.self)
    }

    @Test func `a message begins with one byte order mark, or with none`() throws {
        for command in MessageSamples.commands {
            let plain = try coding.data(for: command)
            #expect(plain.starts(with: declaration.utf8))
            #expect(try MessageCoding().data(for: command) == Data([0xEF, 0xBB, 0xBF]) + plain)
        }
    }

    @Test func `commands are written to the byte`() throws {
        #expect(
            try text(.deleteBooks(DeleteBooks(timestamp: 1_364_148_473, books: [MessageSamples.reference])))
                == declaration + "<deletebooks timestamp='1364148473.0'><manifest>"
                + "<book author='A. Author' filename='a.epub' title='A Title' uuid='6f1c'/></manifest></deletebooks>")
        #expect(
            try text(
                .uploadBooks(UploadBooks(books: [UploadedBook(filename: "a.epub", collections: ["Fish & Chips"])])))
                == declaration + "<uploadbooks overwrite='no'><manifest><book filename='a.epub'>"
                + "<collections><collection>Fish &amp; Chips</collection></collections></book></manifest></uploadbooks>"
        )
        #expect(
            try text(.action(ReaderAction(type: "backup", parameters: ["b": "2", "a": "1"])))
                == declaration
                + "<command type='backup'><parameters><parameter name='a'>1</parameter><parameter name='b'>2</parameter>"
                + "</parameters></command>")
    }

    @Test func `what is not there is left out, and what is empty is written`() throws {
        var book = UpdatedBook(BookReference(filename: "a.epub"), hasTitle: false, hasAuthor: false)
        let start = declaration + "<updatemetadata cleanupcollections='yes'><manifest>"
        let end = "</manifest></updatemetadata>"
        #expect(
            try text(.updateMetadata(UpdateMetadata(books: [book]))) == start
                + "<book filename='a.epub' uuid=''></book>" + end)
        (book.series, book.seriesIndex, book.collections) = ("", "0", [])
        #expect(
            try text(.updateMetadata(UpdateMetadata(books: [book])))
                == start
                + "<book filename='a.epub' series='' seriesindex='0' uuid=''><collections></collections></book>" + end)
    }

    @Test func `what is no day and no number is left out`() throws {
        var book = UpdatedBook(BookReference(), hasTitle: false, hasAuthor: false)
        (book.pubDate, book.seriesIndex, book.rating) = ("soon", "nan", "9")
        #expect(
            try text(.updateMetadata(UpdateMetadata(timestamp: .infinity, books: [book]))).contains(
                "<book filename='' uuid=''>"))
        (book.pubDate, book.seriesIndex) = ("101-2-3", "1,5")
        #expect(
            try text(.updateMetadata(UpdateMetadata(books: [book]))).contains("pubdate='0101-02-03' seriesindex='1.5'"))
    }

    @Test(arguments: [
        ("a&b<c>d", "a&amp;b&lt;c&gt;d"), ("'\"", "&apos;&quot;"), ("\t\n\r", "&#9;&#10;&#13;"),
        ("\u{0}\u{1F}", "\u{FFFD}\u{FFFD}"),
        ("\u{FFFF}x\u{FFFE}", "\u{FFFD}x\u{FFFD}"), ("é🦉\u{FF0E}", "é🦉\u{FF0E}"), ("&amp;", "&amp;amp;"),
    ])
    func `attributes are escaped`(title: String, written: String) throws {
        #expect(
            try text(.deleteBooks(DeleteBooks(books: [BookReference(title: title)]))).contains(" title='\(written)' "))
    }

    @Test func `text is escaped once, and keeps its quotes and line breaks`() throws {
        let command = ReaderCommand.rebuildCollections(
            RebuildCollections(books: [
                CollectedBook(BookReference(), collections: ["<p title=\"it's\">a\n\tb\r]]></p>"])
            ]))
        #expect(
            try text(command).contains("<collection>&lt;p title=\"it's\"&gt;a\n\tb&#13;]]&gt;&lt;/p&gt;</collection>"))
    }

    @Test func `a status is written to the byte`() {
        #expect(
            String(decoding: coding.data(for: MessageSamples.statuses[0]), as: UTF8.self)
                == declaration
                + "<status timestamp='1364148473.0' code='-1' command='upload_books.xml' commandtimestamp='1364148473.0'>"
                + "<progress>0.2</progress><messages></messages></status>")
        #expect(
            String(decoding: coding.data(for: MessageSamples.statuses[1]), as: UTF8.self)
                == declaration + "<status timestamp='1364148473.0' code='1'><progress>1.0</progress>"
                + "<messages><message>[a.epub] is no book.</message></messages></status>")
    }

    @Test(arguments: [
        (1.0 / 3, CommandStatus.Code.inProgress, "0.333333"), (1, .inProgress, "0.999999"), (.nan, .inProgress, "0.0"),
        (-1, .inProgress, "0.0"), (0.2, .failure, "1.0"), (1e-9, .inProgress, "0.0"),
    ])
    func `progress has a dot and at most six digits`(value: Double, code: CommandStatus.Code, written: String) {
        let text = String(decoding: coding.data(for: CommandStatus(code: code, progress: value)), as: UTF8.self)
        #expect(text.contains("<progress>\(written)</progress>"))
    }

    @Test func `a status with too many messages is still one that is read`() throws {
        let messages = (0..<20_000).map { StatusMessage(String(repeating: "&", count: 50), about: "\($0).epub") }
        let data = coding.data(
            for: CommandStatus(code: .warnings, progress: 1, messages: messages, command: "upload_books.xml"))
        #expect(data.count <= coding.limits.report)
        let read = try coding.status(in: data).messages
        #expect(read.count > 2000 && read.dropLast() == messages.prefix(read.count - 1))
        #expect(
            read.last == StatusMessage("\(20_001 - read.count) more messages were left out.", about: "upload_books.xml")
        )
    }

    @Test func `connected.xml is written to the byte, without names that no attribute can have`() {
        var connected = MessageSamples.connected
        connected.attributes["a b"] = "no"
        connected.attributes["x:y"] = "no"
        connected.attributes["timestamp"] = "no"
        connected.attributes["long"] = String(repeating: "x", count: 2 << 20)
        #expect(
            String(decoding: coding.data(for: connected), as: UTF8.self)
                == declaration + "<connection timestamp='1364148473.0' device='reader&apos;s' marvin='2.6.2'>"
                + "<state>online</state><has_password>false</has_password></connection>")
    }

    @Test func `a cover is base64 without line breaks, with the MD5 of its bytes`() throws {
        let cover = EncodedCover(picture: Data("abc".utf8))
        #expect(cover == EncodedCover(hash: "900150983cd24fb0d6963f7d28e17f72", text: "YWJj"))
        #expect(EncodedCover(picture: Data(), hash: "0").hash == "0")
        let large = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try EncodedCover(picture: large).decoded(limit: 10_000) == large)
    }

    @Test(
        arguments: [
            ("base64", " YW\n\tJj\r\n", nil), ("BASE64", "YWI=", nil), ("hex", "616263", .malformed),
            ("base64", "", .malformed),
            ("base64", " \n", .malformed), ("base64", "YWJ", .malformed), ("base64", "YW*j", .malformed),
            ("base64", "YWJjZA==", .hostile),
        ] as [(String, String, MessageFailure.Kind?)])
    func `a cover is decoded strictly, but for white space`(encoding: String, text: String, kind: MessageFailure.Kind?)
    {
        let cover = EncodedCover(hash: nil, encoding: encoding, text: text)
        #expect(failureKind { _ = try cover.decoded(limit: 3) } == kind)
    }
}
