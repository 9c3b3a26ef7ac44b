import Foundation
import ReaderLink
import Testing

/// The messages as the protocol's description prints them, mistakes included, as they are when these are put right, and
/// as the first driver sends them.
struct MessageSampleTests {
    /// What the description has to say of a command, with values in the places that it leaves open.
    struct Sample: Sendable, CustomTestStringConvertible {
        let kind: ReaderCommand.Kind
        let printed: String
        let emitted: String
        let meant: ReaderCommand
        var testDescription: String { kind.fileName }

        var repaired: String {
            var text = printed.replacing("'utf-8?>", with: "'utf-8'?>").replacing(
                "timestamp=timestamp=", with: "timestamp=")
            let openings = text.ranges(of: "<collections>")
            if openings.count == 2 { text.replaceSubrange(openings[1], with: "</collections>") }
            return text
        }
    }

    private static let time = MessageSamples.time
    private static let reference = BookReference(
        author: "O'Neil & Co", filename: "a.epub", title: "A <Title>", uuid: "6f1c")

    private static let delete = Sample(
        kind: .deleteBooks,
        printed: """
                <?xml version='1.0' encoding='utf-8?>
                <deletebooks timestamp='1364148473.0'>
                    <manifest>
                        <book author='O&apos;Neil &amp; Co'
                              filename='a.epub'
                              title='A &lt;Title&gt;'
                              uuid='6f1c' />
                        ...
                        ...
                    </manifest>
                </deletebooks>
            """,
        emitted: """
            <?xml version='1.0' encoding='utf-8'?>
            <deletebooks timestamp="1364148473.0"><manifest><book author="O'Neil & Co" filename="a.epub" title="A &lt;Title&gt;" \
            uuid="6f1c"></book></manifest></deletebooks>
            """,
        meant: .deleteBooks(DeleteBooks(timestamp: time, books: [reference])))

    private static let rebuild = Sample(
        kind: .rebuildCollections,
        printed: """
                <?xml version='1.0' encoding='utf-8?>
                <rebuildcollections timestamp='1364148473.0'>
                    <manifest>
                        <book author='O&apos;Neil &amp; Co'
                              filename='a.epub'
                              title='A &lt;Title&gt;'
                              uuid='6f1c'>
                            <collections>
                                <collection>Fish &amp; Chips</collection>
                                ...
                            <collections>
                        </book>
                        ...
                    </manifest>
                </rebuildcollections>
            """,
        emitted: """
            <?xml version='1.0' encoding='utf-8'?>
            <rebuildcollections timestamp="1364148473.0"><manifest><book author="O'Neil &amp; Co" filename="a.epub" \
            title="A &lt;Title&gt;" uuid="6f1c"><collections><collection>Fish & Chips</collection></collections></book></manifest>\
            </rebuildcollections>
            """,
        meant: .rebuildCollections(
            RebuildCollections(timestamp: time, books: [CollectedBook(reference, collections: ["Fish & Chips"])])))

    private static let upload = Sample(
        kind: .uploadBooks,
        printed: """
                <?xml version='1.0' encoding='utf-8?>
                <uploadbooks timestamp=timestamp='1364148473.0' overwrite='yes'>
                    <manifest>
                        <book filename='a.epub' coverhash='0'>
                            <collections>
                                <collection>Fish &amp; Chips</collection>
                            <collections>
                        </book>
                        ...
                    </manifest>
                </uploadbooks>
            """,
        emitted: """
            <?xml version='1.0' encoding='utf-8'?>
            <uploadbooks overwrite="yes" timestamp="1364148473.0"><manifest><book coverhash="0" filename="a.epub"><collections>\
            <collection>Fish & Chips</collection></collections></book></manifest></uploadbooks>
            """,
        meant: .uploadBooks(
            UploadBooks(
                timestamp: time, overwrite: true,
                books: [UploadedBook(filename: "a.epub", coverHash: "0", collections: ["Fish & Chips"])]))
    )

    private static let update = Sample(
        kind: .updateMetadata,
        printed: """
                <?xml version='1.0' encoding='utf-8?>
                <updatemetadata timestamp=timestamp='1364148473.0' cleanupcollections='yes'>
                    <manifest>
                        <book author='O&apos;Neil &amp; Co'
                              authorsort=''
                              filename='a.epub'
                              pubdate='2013-06-19'
                              publisher='He said "it&apos;s"'
                              series=''
                              seriesindex=''
                              title='A &lt;Title&gt;'
                              titlesort=''
                              uuid='6f1c'>
                            <description>&lt;p&gt;one &amp;amp; two&lt;/p&gt;</description>
                            <collections>
                                <collection>NEW</collection>
                                ...
                            </collections>
                            <subjects>
                                <subject>some tag</subject>
                                ...
                            </subjects>
                            <cover hash='900150983cd24fb0d6963f7d28e17f72' encoding='base64'>YWJj</cover>
                        </book>
                        ...
                    </manifest>
                </updatemetadata>
            """,
        emitted: """
            <?xml version='1.0' encoding='utf-8'?>
            <updatemetadata cleanupcollections="yes" timestamp="1364148473.0"><manifest><book author="O'Neil &amp; Co" authorsort="" \
            filename="a.epub" pubdate="2013-06-19" publisher="He said &quot;it&squot;s&quot;" series="" seriesindex="" \
            title="A &lt;Title&gt;" titlesort="" uuid="6f1c"><description>&lt;p&gt;one &amp;amp; two&lt;/p&gt;</description><subjects>\
            <subject>some tag</subject></subjects><collections><collection>NEW</collection></collections>\
            <cover encoding="base64" hash="900150983cd24fb0d6963f7d28e17f72">YWJj</cover></book></manifest></updatemetadata>
            """,
        meant: .updateMetadata(UpdateMetadata(timestamp: time, cleanUpCollections: true, books: [updated])))

    private static var updated: UpdatedBook {
        var book = UpdatedBook(reference)
        (book.authorSort, book.titleSort, book.series, book.seriesIndex) = ("", "", "", "")
        (book.pubDate, book.publisher) = ("2013-06-19", "He said \"it's\"")
        book.description = "<p>one &amp; two</p>"
        (book.collections, book.subjects) = (["NEW"], ["some tag"])
        book.cover = EncodedCover(picture: Data("abc".utf8))
        return book
    }

    @Test(arguments: [delete, rebuild, upload, update]) func `a command means the same as printed, repaired and sent`(
        sample: Sample
    ) throws {
        let coding = MessageCoding()
        for text in [sample.printed, sample.repaired, sample.emitted, "\u{FEFF}" + sample.emitted] {
            #expect(try coding.command(sample.kind, text).command == sample.meant)
        }
        #expect(try coding.command(sample.kind, sample.printed).notes.timestampText == "1364148473.0")
        #expect(try !coding.command(sample.kind, sample.printed).notes.warnings.isEmpty)
        let strict = MessageCoding.with { $0.readsLegacyForms = false }
        #expect(failureKind { _ = try strict.command(sample.kind, sample.printed) } == .malformed)
        #expect(try strict.command(sample.kind, sample.repaired).command == sample.meant)
        #expect(try strict.command(sample.kind, sample.repaired).notes.warnings.isEmpty)
    }

    @Test func `a status means the same as printed and repaired`() throws {
        let printed = """
                <?xml version='1.0' encoding='utf-8?>
                <status timestamp=timestamp='1364148473.0' code='0'>
                    <progress>1.0</progress>
                    <messages>
                        <message>A warning or error description</message>
                    </messages>
                </status>
            """
        let meant = CommandStatus(
            timestamp: MessageSamples.time, code: .success, progress: 1,
            messages: [StatusMessage("A warning or error description")])
        let repaired = printed.replacing("timestamp=timestamp", with: "timestamp").replacing(
            "utf-8?>", with: "utf-8'?>")
        for text in [printed, repaired] { #expect(try MessageCoding().status(in: Data(text.utf8)) == meant) }
    }

    @Test(arguments: [("online", ConnectedMessage.State.online), ("offline", .offline)])
    func `connected.xml means the same as printed and repaired`(word: String, state: ConnectedMessage.State) throws {
        let printed = """
                <?xml version='1.0' encoding='utf-8?>
                <connection timestamp='1364148473.0'>
                    <state>\(word)</state>
                </connection>
            """
        for text in [printed, printed.replacing("utf-8?>", with: "utf-8'?>")] {
            #expect(
                try MessageCoding().connected(in: Data(text.utf8))
                    == ConnectedMessage(timestamp: MessageSamples.time, state: state))
        }
    }

    @Test func `words that stand for a choice are no choice`() throws {
        let coding = MessageCoding()
        let command = try coding.command(.uploadBooks, Self.upload.printed.replacing("'yes'", with: "'[yes|no]'"))
            .command
        guard case .uploadBooks(let upload) = command else { return #expect(Bool(false), "This is another command.") }
        #expect(!upload.overwrite)
        #expect(try coding.updatedBook("pubdate='YYYY-MM-DD'").book?.pubDate == nil)
    }
}
