import Foundation
import SafeXML
import Testing

struct ElementTests {
    private let document = Data(
        """
        <p xmlns="urn:a" xmlns:b="urn:b" id="1" b:id="2">one <b:c>two</b:c> three<c>four <d>five</d></c><c/></p>
        """.utf8)

    @Test func `a tree is looked up by name and namespace`() throws {
        let root = try XMLElement.parse(document)
        #expect(root.matches("p", "urn:a") && root.matches("p") && !root.matches("p", "urn:b"))
        #expect(
            root.attribute("id") == "1" && root.attribute("id", namespace: "urn:b") == "2" && root.attribute("x") == nil
        )
        #expect(root.children.map(\.name) == ["c", "c", "c"])
        #expect(root.first("c")?.text == "two" && root.first("c", "urn:a")?.text == "four five")
        #expect(root.all("c", "urn:a").count == 2 && root.descendants("d").count == 1)
    }

    @Test func `text is all of it or the element's own`() throws {
        let root = try XMLElement.parse(document)
        #expect(root.text == "one two threefour five")
        #expect(root.ownText == "one  three")
    }

    @Test(.timeLimit(.minutes(1))) func `100,000 elements make a tree without delay`() throws {
        let items = (0..<100_000).map {
            "<item id='i\($0)' href='chapter\($0).xhtml' media-type='application/xhtml+xml'/>"
        }
        #expect(try XMLElement.parse(Data("<m>\(items.joined(separator: "\n"))</m>".utf8)).all("item").count == 100_000)
    }
}
