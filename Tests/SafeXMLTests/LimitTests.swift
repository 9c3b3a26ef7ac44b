import Foundation
import SafeXML
import Testing

struct LimitTests {
    private func refusedAsTooLarge(_ text: String, limits: XMLLimits) -> Bool {
        refusal { try EventRecorder.events(in: text, limits: limits) }?.code == .fileReadTooLarge
    }

    @Test func `elements may be 256 deep, and no deeper`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(try EventRecorder.events(in: nested(256)).count == 512)
        #expect(refusedAsTooLarge(nested(257), limits: XMLLimits()))
        #expect(refusedAsTooLarge(nested(100_000), limits: XMLLimits()))
        #expect(try EventRecorder.events(in: nested(5000), limits: XMLLimits(depth: 5000)).count == 10_000)
    }

    @Test(arguments: [false, true]) func `a text of 12 MB is taken or refused as the limit says`(isCDATA: Bool) throws {
        let count = 12_000_000
        let text = String(repeating: "x", count: count)
        let data = Data((isCDATA ? "<a><![CDATA[\(text)]]></a>" : "<a>\(text)</a>").utf8)
        let recorder = EventRecorder()
        let parser = try XMLEventParser(handler: recorder)
        try parser.parse(data)
        try parser.finish()
        #expect(recorder.textLength == count)
        let error = refusal { try EventRecorder.events(in: data, limits: XMLLimits(text: count - 1)) }
        #expect(error?.code == .fileReadTooLarge)
    }

    @Test func `bytes, elements and attributes have limits`() throws {
        let text = "<a b='1' c='2'><d/><d/></a>"
        #expect(
            try EventRecorder.events(in: text, limits: XMLLimits(bytes: text.utf8.count, attributes: 2, elements: 3))
                .count == 6)
        #expect(refusedAsTooLarge(text, limits: XMLLimits(bytes: text.utf8.count - 1)))
        #expect(refusedAsTooLarge(text, limits: XMLLimits(attributes: 1)))
        #expect(refusedAsTooLarge(text, limits: XMLLimits(elements: 2)))
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["<!--", "<a b='", "<a ", "<?pi ", "<!DOCTYPE a [<!ENTITY x '", "<a>&"])
    func `what never ends is refused in good time`(start: String) {
        let data = Data((start + String(repeating: "x", count: 12_000_000)).utf8)
        #expect(
            refusal { try EventRecorder.events(in: data, splits: Array(stride(from: 0, to: 12_000_000, by: 4096))) }
                != nil)
    }

    @Test(.timeLimit(.minutes(1))) func `a long namespace on many elements costs no more than once`() throws {
        let namespace = String(repeating: "n", count: 1_000_000)
        let text = "<a xmlns='\(namespace)'>" + String(repeating: "<b/>", count: 100_000) + "</a>"
        #expect(try XMLElement.parse(Data(text.utf8)).children.last?.namespace.utf8.count == 1_000_000)
    }
}
