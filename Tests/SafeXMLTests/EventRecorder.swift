import Foundation
@testable import SafeXML

/// Writes down what a parser reports, one line per event.
final class EventRecorder: XMLEventHandler {
    private(set) var events: [String] = []
    private(set) var textLength = 0

    func start(element: String, namespace: String, attributes: [XMLAttribute]) {
        let attributes = attributes.map { " {\($0.namespace)}\($0.name)=\($0.value)" }.joined()
        events.append("<{\(namespace)}\(element)\(attributes)>")
    }

    func text(_ text: String) {
        textLength += text.utf8.count
        events.append(text)
    }

    func end(element: String, namespace: String) { events.append("</\(element)>") }

    /// The events of `data`, given in pieces that end at `splits` and passed on in pieces of `slice` bytes.
    static func events(
        in data: Data, splits: [Int] = [], slice: Int? = nil, limits: XMLLimits = XMLLimits(), encoding: String? = nil
    ) throws -> [String] {
        let recorder = EventRecorder()
        let parser = try XMLEventParser(limits: limits, encoding: encoding, handler: recorder)
        if let slice { parser.sliceSize = slice }
        var start = 0
        for end in splits + [data.count] {
            try parser.parse(data.subdata(in: start..<end))
            start = end
        }
        try parser.finish()
        return recorder.events
    }

    static func events(in text: String, limits: XMLLimits = XMLLimits()) throws -> [String] {
        try events(in: Data(text.utf8), limits: limits)
    }
}

/// The error that `body` throws, which must be one of Foundation's.
func refusal(_ body: () throws -> some Any) -> CocoaError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? CocoaError
    }
}

extension CocoaError {
    var sentence: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "" }
}
