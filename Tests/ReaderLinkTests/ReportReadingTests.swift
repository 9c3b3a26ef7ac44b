import Foundation
import ReaderLink
import Testing

struct ReportReadingTests {
    private let coding = MessageCoding()

    private func status(_ attributes: String, _ contents: String = "") throws -> CommandStatus {
        try coding.status(in: Data("<status \(attributes)>\(contents)</status>".utf8))
    }

    @Test(arguments: [
        ("-1", CommandStatus.Code.inProgress), (" 0 ", .success), ("1", .warnings), ("2", .failure), ("3", .cancelled),
    ])
    func `a status has one of five codes`(written: String, code: CommandStatus.Code) throws {
        #expect(try status("code='\(written)'").code == code)
    }

    @Test(arguments: ["", "code=''", "code='4'", "code='-2'", "code='0.0'", "code='done'"])
    func `a status without a usable code is malformed`(attributes: String) {
        #expect(failureKind { _ = try status(attributes) } == .malformed)
    }

    @Test(arguments: [
        ("-1", "0.2", 0.2), ("-1", " 0,25\n", 0.25), ("-1", "nan", 0), ("-1", "inf", 0), ("-1", "0x1p-1", 0),
        ("-1", "", 0),
        ("-1", "-3", 0),
        ("-1", "1.0", 0.999999), ("-1", "7", 0.999999), ("0", "1.0", 1), ("1", "junk", 1), ("2", "0.5", 1),
    ])
    func `progress is whole with a final code, and never before`(code: String, written: String, meant: Double) throws {
        #expect(try status("code='\(code)'", "<progress>\(written)</progress>").progress == meant)
    }

    @Test func `messages may be missing, and have file names in brackets`() throws {
        #expect(try status("code='1'").messages == [])
        let messages = try status(
            "code='1'",
            "<messages><message>[a.epub] is no book</message><message>\n plain \n</message><message>[a [b].epub] x</message>"
                + "<message>[c.epub]</message><message>[] y</message></messages>"
        ).messages
        #expect(
            messages == [
                StatusMessage("is no book", about: "a.epub"), StatusMessage("plain"),
                StatusMessage("x", about: "a [b].epub"),
                StatusMessage("", about: "c.epub"), StatusMessage("[] y"),
            ])
    }

    @Test func `connected.xml has a state, and attributes that are kept`() throws {
        let text = """
            <connection xmlns:x='y' timestamp='5.0' marvin='2.6' x:odd='1' device="a'b">
                <state> Online </state><has_password>true</has_password><other/>
            </connection>
            """
        let connected = try coding.connected(in: Data(text.utf8))
        #expect(
            connected
                == ConnectedMessage(
                    timestamp: 5, state: .online, attributes: ["marvin": "2.6", "device": "a'b"], hasPassword: true))
    }

    @Test(arguments: [
        "<connection/>", "<connection><state/></connection>",
        "<connection><state>[offline|online]</state></connection>",
    ])
    func `connected.xml without a state is malformed`(text: String) {
        #expect(failureKind { _ = try coding.connected(in: Data(text.utf8)) } == .malformed)
    }
}
