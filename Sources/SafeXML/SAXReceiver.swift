import CXML2
import Foundation

/// Receives libxml2's events: enforces the limits, collects text and passes everything on to the handler.
///
/// After a failure every callback does nothing, so the rest of a slice costs only its parsing.
final class SAXReceiver {
    private let handler: any XMLEventHandler
    private let limits: XMLLimits
    /// Set once by the parser, which owns it and outlives every callback.
    var context: xmlParserCtxtPtr?
    private(set) var failure: (any Error)?
    /// Lines that were removed before the parser got the document.
    var skippedLines = 0

    private var names = NameTable()
    private var entities: EntityTable
    private var pendingText: [UInt8] = []
    private var depth = 0
    private var elements = 0

    private let isLenient: Bool

    init(handler: any XMLEventHandler, limits: XMLLimits, isLenient: Bool = false, expandsEntities: Bool = false) {
        self.handler = handler
        self.limits = limits
        self.isLenient = isLenient
        entities = EntityTable(expandsOwn: expandsEntities)
    }

    /// Whether the first element has begun.
    var hasBegun: Bool { elements > 0 }

    /// Whether the first element has begun and ended.
    var isComplete: Bool { elements > 0 && depth == 0 }

    /// The current line, from 1.
    var line: Int { max(1, Int(context?.pointee.input?.pointee.line ?? 1)) + skippedLines }

    /// Records the failure if it is the first.
    func fail(_ error: any Error) {
        if failure == nil { failure = error }
    }

    private func attempt(_ body: () throws -> Void) {
        guard failure == nil else { return }
        do { try body() } catch { fail(error) }
    }
}

// MARK: Events

extension SAXReceiver {
    func start(name: UnsafePointer<xmlChar>, namespace: UnsafePointer<xmlChar>?, attributes: RawAttributes) {
        attempt {
            try flushText()
            try count(attributes)
            try handler.start(
                element: names[name], namespace: names[namespace],
                attributes: attributes.values(names: &names, entities: entities))
        }
    }

    func end(name: UnsafePointer<xmlChar>, namespace: UnsafePointer<xmlChar>?) {
        attempt {
            try flushText()
            depth -= 1
            try handler.end(element: names[name], namespace: names[namespace])
        }
    }

    func text(_ bytes: UnsafeBufferPointer<xmlChar>) {
        attempt {
            guard pendingText.count + bytes.count <= limits.text else {
                throw XMLErrors.tooLarge(line: line, "a text of more than \(limits.text) bytes")
            }
            pendingText.append(contentsOf: bytes)
        }
    }

    /// Passes on the text behind the last tag of a document that ends before its elements do.
    func finish() { attempt { if depth > 0 { try flushText() } } }

    private func flushText() throws {
        guard !pendingText.isEmpty else { return }
        defer { pendingText.removeAll(keepingCapacity: pendingText.count < 64 << 10) }
        try pendingText.withUnsafeBufferPointer { try handler.text(utf8: $0) }
    }

    private func count(_ attributes: RawAttributes) throws {
        depth += 1
        elements += 1
        guard depth <= limits.depth else {
            throw XMLErrors.tooLarge(line: line, "elements more than \(limits.depth) levels deep")
        }
        guard elements <= limits.elements else {
            throw XMLErrors.tooLarge(line: line, "more than \(limits.elements) elements")
        }
        guard attributes.count <= limits.attributes else {
            throw XMLErrors.tooLarge(line: line, "an element with more than \(limits.attributes) attributes")
        }
        guard attributes.longestValue <= limits.text else {
            throw XMLErrors.tooLarge(line: line, "an attribute of more than \(limits.text) bytes")
        }
    }
}

// MARK: Entities and errors

extension SAXReceiver {
    /// Returns a named character of HTML 4, or an entity that is expanded, for libxml2 to insert; any other name ends
    /// the parsing.
    func entity(named name: UnsafePointer<xmlChar>) -> xmlEntityPtr? {
        guard failure == nil else { return nil }
        guard !isInDeclaration else { return nil }
        let isInAttribute = context?.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE
        // After an error libxml2 would silently drop the entity.
        if isLenient { context?.pointee.wellFormed = 1 }
        if let entity = entities.entity(named: name, isInAttribute: isInAttribute) { return entity }
        refuseEntity(named: name)
        return nil
    }

    /// libxml2 looks up every entity when it is declared, which does not count as a use.
    private var isInDeclaration: Bool {
        guard let state = context?.pointee.instate else { return false }
        return state == XML_PARSER_ENTITY_DECL || state == XML_PARSER_ENTITY_VALUE
    }

    /// Ends the parsing with an error that names the entity.
    func refuseEntity(named name: UnsafePointer<xmlChar>) {
        guard !isInDeclaration else { return }
        fail(XMLErrors.entity(String(cString: name), line: line))
    }

    func declareEntity(named name: UnsafePointer<xmlChar>, content: UnsafePointer<xmlChar>?, isText: Bool) {
        guard failure == nil else { return }
        entities.declare(name, as: content, isText: isText)
    }

    /// Reports only what makes a document malformed; an undeclared prefix, for instance, does not.
    func report(_ error: xmlError) {
        guard failure == nil, error.level == XML_ERR_FATAL, !isLenient else { return }
        let message = error.message.map { String(cString: $0) } ?? "error \(error.code)"
        let reason = message.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200)
        fail(XMLErrors.malformed(line: max(1, Int(error.line)) + skippedLines, reason: String(reason)))
    }
}
