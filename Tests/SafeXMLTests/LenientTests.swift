import Foundation
import SafeXML
import Testing

@Suite struct LenientTests {
    private func parse(_ text: String) throws -> XMLElement { try XMLElement.parse(Data(text.utf8), isLenient: true) }

    @Test(arguments: [
        "<a><b>x & y</b><c/></a>", "<a><b>x</b><c>", "<a><b>x<br></b><c/></a>", "<a><b>x</b><c/></a><d/>",
    ])
    func `what is not well-formed is read as far as it makes sense`(text: String) throws {
        #expect(throws: CocoaError.self) { try XMLElement.parse(Data(text.utf8)) }
        let root = try parse(text)
        #expect(root.name == "a" && root.descendants("b").first?.text.hasPrefix("x") == true && root.descendants("c").count == 1)
    }

    @Test(arguments: ["", " ", "no XML", "\u{1}\u{2}", "<!-- only a comment -->"])
    func `what has no element is refused`(text: String) { #expect(throws: CocoaError.self) { try parse(text) } }

    @Test func `entities and limits are as strict as ever`() {
        let external = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>"
        let bomb = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;&x;'>]><a>&y;</a>"
        for text in [external, bomb, "<a>&unknown;</a>", String(repeating: "<a>", count: 1_000)] {
            #expect(throws: CocoaError.self) { try parse(text) }
        }
    }
}
