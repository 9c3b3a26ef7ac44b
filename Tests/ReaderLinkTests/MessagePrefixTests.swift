import Foundation
import ReaderLink
import Testing

struct MessagePrefixTests {
    private let coding = MessageCoding()

    /// The prefixes that are taken for anything but a message that is still on its way.
    private func misread(_ data: Data, _ read: (Data) throws -> Void) -> [Int] {
        (0..<data.count).filter { count in failureKind { try read(data.prefix(count)) } != .incomplete }
    }

    @Test(arguments: MessageSamples.commands) func `a command that is cut anywhere is incomplete`(
        command: ReaderCommand
    ) throws {
        for hasMark in [true, false] {
            let data = try MessageCoding.with { $0.writesByteOrderMark = hasMark }.data(for: command)
            #expect(misread(data) { _ = try coding.command(named: command.kind.fileName, in: $0) } == [])
            #expect(try coding.command(named: command.kind.fileName, in: data).command == command)
        }
    }

    @Test(arguments: MessageSamples.statuses) func `a status that is cut anywhere is incomplete`(status: CommandStatus)
        throws
    {
        let data = coding.data(for: status)
        #expect(misread(data) { _ = try coding.status(in: $0) } == [])
        #expect(try coding.status(in: data) == status)
    }

    @Test func `connected.xml that is cut anywhere is incomplete`() throws {
        let data = coding.data(for: MessageSamples.connected)
        #expect(misread(data) { _ = try coding.connected(in: $0) } == [])
        #expect(try coding.connected(in: data) == MessageSamples.connected)
    }

    @Test(arguments: [
        """
         <?xml version='1.0' encoding='utf-8?>
        <deletebooks timestamp=timestamp='1.0'><manifest>a & b &squot; &#65;<book title="it's &eacute;🦉"/></manifest></deletebooks>
        """,
        "<!-- a - b --><?a b? c?><deletebooks><manifest><![CDATA[ ]] ]> ]]>]] ><x:y/></manifest\n></deletebooks>",
        "<deletebooks><manifest><book><collections><collection>a</collection><collections></book></manifest></deletebooks>",
    ])
    func `a command in an odd form that is cut anywhere is incomplete`(text: String) throws {
        let read: (Data) throws -> Void = { _ = try coding.command(named: "delete_books.xml", in: $0) }
        #expect(misread(Data(text.utf8), read) == [])
        try read(Data(text.utf8))
        let wide = Data(("\u{FEFF}" + text).utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        #expect(misread(wide, read) == [])
        try read(wide)
    }
}
