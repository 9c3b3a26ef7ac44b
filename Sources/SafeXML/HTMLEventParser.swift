import CXML2
public import Foundation

/// Reads HTML of any quality, and XHTML that is not well-formed, as browsers forgive it: tags that are missing, crossed
/// or unknown, attributes without quotes, stray ampersands.
///
/// It opens no file and no connection. As in a browser there is always one `html` element, made up where the document has
/// none, and what follows `</body>` or `</html>` belongs to the body. Byte order marks are skipped. Names are in lower
/// case and without a prefix; they have no namespace. The names of attributes keep theirs (`epub:type`). Built on the
/// HTML parser of libxml2 (HTML 4 with unknown elements).
///
/// Not for several tasks at once.
public final class HTMLEventParser {
    private static let sliceSize = 64 << 10
    private let receiver: HTMLReceiver
    private let limits: XMLLimits
    private let encoding: String?

    /// - Parameters:
    ///   - encoding: The IANA name of the encoding; nil for UTF-8.
    ///   - handler: Receives elements and text in document order; ends come for every element that began.
    public init(limits: XMLLimits = XMLLimits(), encoding: String? = nil, handler: any XMLEventHandler) {
        XMLLibrary.prepare()
        receiver = HTMLReceiver(handler: handler, limits: limits)
        self.limits = limits
        self.encoding = encoding
    }

    /// Reads a whole document.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` past a limit, `.fileReadUnknownStringEncoding` for an encoding that
    ///   libxml2 and iconv don't know, and what the handler threw. No document is malformed.
    /// - Complexity: Linear in the bytes.
    public func parse(_ document: Data) throws {
        guard document.count <= limits.bytes else {
            throw XMLErrors.tooLarge(line: 1, "more than \(limits.bytes) bytes")
        }
        var callbacks = HTMLReceiver.callbacks()
        let user = Unmanaged.passUnretained(receiver).toOpaque()
        guard let context = htmlCreatePushParserCtxt(&callbacks, user, nil, 0, nil, XML_CHAR_ENCODING_UTF8) else {
            throw CocoaError(.fileReadUnknown)
        }
        defer {
            if let document = context.pointee.myDoc { xmlFreeDoc(document) }
            htmlFreeParserCtxt(context)
        }
        htmlCtxtUseOptions(context, Self.options)
        // libxml2 counts misplaced tags and ignores as many ends of `html`, `head` and `body`. It ignores all of them here:
        // behind `</html>` it would stop reading.
        context.pointee.depth = 1 << 30
        let mark = Self.byteOrderMark(of: document)
        if let encoding = mark?.encoding ?? encoding, !["utf-8", "utf8"].contains(encoding.lowercased()) {
            guard let converter = xmlFindCharEncodingHandler(encoding) else {
                throw XMLErrors.make(.fileReadUnknownStringEncoding, "The text encoding “\(encoding)” is not known.")
            }
            xmlSwitchToEncoding(context, converter)
        }
        receiver.context = context
        defer { receiver.context = nil }
        try document.withUnsafeBytes { bytes in
            try feed(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(mark?.length ?? 0)), to: context)
        }
        XMLLibrary.silently { _ = htmlParseChunk(context, nil, 0, 1) }
        try receiver.finish()
    }

    /// The encoding is known, so that what a `meta` element says is ignored.
    private static let options = Int32(
        bitPattern: HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NODEFDTD.rawValue
            | HTML_PARSE_IGNORE_ENC.rawValue)

    /// The byte order mark at the start, which libxml2 would take for text in front of `html`; nil without one.
    private static func byteOrderMark(of document: Data) -> (encoding: String, length: Int)? {
        let start = Array(document.prefix(3))
        if start == [0xEF, 0xBB, 0xBF] { return ("utf-8", 3) }
        if start.starts(with: [0xFE, 0xFF]) { return ("UTF-16BE", 2) }
        return start.starts(with: [0xFF, 0xFE]) ? ("UTF-16LE", 2) : nil
    }

    private func feed(_ bytes: UnsafeRawBufferPointer, to context: htmlParserCtxtPtr) throws {
        let characters = bytes.assumingMemoryBound(to: CChar.self)
        var next = 0
        while next < characters.count {
            let count = min(Self.sliceSize, characters.count - next)
            XMLLibrary.silently { _ = htmlParseChunk(context, characters.baseAddress! + next, Int32(count), 0) }
            next += count
            if let failure = receiver.failure { throw failure }
            guard xmlDictGetUsage(context.pointee.dict) <= Self.maxNames else {
                throw XMLErrors.tooLarge(line: receiver.line, "more than \(Self.maxNames) bytes of different names")
            }
        }
    }

    private static let maxNames = 16 << 20
}

/// Receives what libxml2 reports of an HTML document: counts it against the limits and passes it on.
private final class HTMLReceiver {
    private let handler: any XMLEventHandler
    private let limits: XMLLimits
    var context: htmlParserCtxtPtr?
    private(set) var failure: (any Error)?
    private var names = NameTable()
    private var pendingText: [UInt8] = []
    private var depth = 0
    private var elements = 0
    private var hasRoot = false
    private static let root = "html"

    init(handler: any XMLEventHandler, limits: XMLLimits) {
        self.handler = handler
        self.limits = limits
    }

    /// The line that is being read, from 1.
    var line: Int { max(1, Int(context?.pointee.input?.pointee.line ?? 1)) }

    func start(_ name: UnsafePointer<xmlChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) {
        attempt {
            let element = local(name)
            // libxml2 closes `<html/>` at once and makes up another one for what follows.
            if element == Self.root {
                if hasRoot { return }
                hasRoot = true
            }
            try flushText()
            depth += 1
            elements += 1
            guard depth <= limits.depth else {
                throw XMLErrors.tooLarge(line: line, "elements more than \(limits.depth) levels deep")
            }
            guard elements <= limits.elements else {
                throw XMLErrors.tooLarge(line: line, "more than \(limits.elements) elements")
            }
            try handler.start(element: element, namespace: "", attributes: values(attributes))
        }
    }

    func end(_ name: UnsafePointer<xmlChar>) {
        attempt {
            let element = local(name)
            // The root ends with the document.
            if element == Self.root { return }
            try flushText()
            depth -= 1
            try handler.end(element: element, namespace: "")
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

    func finish() throws {
        attempt {
            try flushText()
            if hasRoot { try handler.end(element: Self.root, namespace: "") }
        }
        if let failure { throw failure }
    }

    private func attempt(_ body: () throws -> Void) {
        guard failure == nil else { return }
        do { try body() } catch { failure = error }
    }

    private func flushText() throws {
        guard !pendingText.isEmpty else { return }
        defer { pendingText.removeAll(keepingCapacity: pendingText.count < 64 << 10) }
        try pendingText.withUnsafeBufferPointer { try handler.text(utf8: $0) }
    }

    private func local(_ name: UnsafePointer<xmlChar>) -> String {
        let name = names[name]
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.utf8.index(after: colon)...])
    }

    /// Names and values by turns, with nil behind the last one; a value may be missing.
    private func values(_ start: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?) throws -> [XMLAttribute] {
        guard let start else { return [] }
        var values: [XMLAttribute] = []
        var index = 0
        while let name = start[index] {
            guard values.count < limits.attributes else {
                throw XMLErrors.tooLarge(line: line, "an element with more than \(limits.attributes) attributes")
            }
            values.append(XMLAttribute(name: names[name], value: start[index + 1].map { String(cString: $0) } ?? ""))
            index += 2
        }
        return values
    }

    static func callbacks() -> htmlSAXHandler {
        var handler = htmlSAXHandler()
        handler.initialized = 1
        handler.startElement = { user, name, attributes in
            if let name { receiver(user)?.start(name, attributes) }
        }
        handler.endElement = { user, name in
            if let name { receiver(user)?.end(name) }
        }
        handler.characters = { receiver($0)?.text(UnsafeBufferPointer(start: $1, count: Int($2))) }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        return handler
    }
}

/// The receiver behind the pointer that libxml2 hands back; its parser keeps it alive.
private func receiver(_ user: UnsafeMutableRawPointer?) -> HTMLReceiver? {
    user.map { Unmanaged<HTMLReceiver>.fromOpaque($0).takeUnretainedValue() }
}
