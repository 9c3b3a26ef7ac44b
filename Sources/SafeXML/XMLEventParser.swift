import CXML2
public import Foundation

/// Parses XML 1.0 with namespaces piece by piece, without accessing anything but the bytes it is given.
///
/// Opens no file and no connection, loads no DTD, and expands only the five entities of XML, the named characters of
/// HTML 4 and, if the caller asks for it, entities that the document itself declares as plain text. A document that
/// uses another entity is refused; unused declarations are ignored. White space and byte order marks before the
/// declaration are skipped, and `<!doctype` may be in lower case.
///
/// Must not be used by several tasks at once. Built on the push interface of libxml2, and never prints anything.
public final class XMLEventParser {
    private let receiver: SAXReceiver
    private let context: xmlParserCtxtPtr
    private let limits: XMLLimits
    private let isLenient: Bool
    /// How much libxml2 gets at once. Its push parser rescans an unfinished comment or tag with every piece, so small
    /// pieces would make a long one quadratic.
    var sliceSize = 256 << 10
    private var pending: [UInt8] = []
    private var isAtStart = true
    private var bytesTaken = 0
    private var isFinished = false

    /// A parser that calls `handler` with the document's content.
    ///
    /// - Parameter encoding: The IANA name of an encoding known from elsewhere, such as a `charset` parameter; nil
    ///   takes it from the byte order mark or the declaration, else UTF-8 (XML 1.0, appendix F).
    /// - Parameter isLenient: Whether to continue after syntax errors, as far as libxml2 can: stray ampersands, tags
    ///   that don't match, a missing end. Limits and entities are handled as strictly as otherwise.
    /// - Parameter expandsEntities: Whether to expand entities that the document declares as plain text: the first 100,
    ///   64 KiB in all, none inside another (XML 1.0, section 4.2.1). External ones are never expanded.
    /// - Throws: `CocoaError(.fileReadUnknownStringEncoding)` if libxml2 and iconv don't know `encoding`.
    public init(
        limits: XMLLimits = XMLLimits(), encoding: String? = nil, isLenient: Bool = false,
        expandsEntities: Bool = false,
        handler: any XMLEventHandler
    ) throws {
        XMLLibrary.prepare()
        let receiver = SAXReceiver(
            handler: handler, limits: limits, isLenient: isLenient, expandsEntities: expandsEntities)
        var callbacks = SAXReceiver.callbacks()
        let user = Unmanaged.passUnretained(receiver).toOpaque()
        guard let context = xmlCreatePushParserCtxt(&callbacks, user, nil, 0, nil) else {
            throw CocoaError(.fileReadUnknown)
        }
        self.receiver = receiver
        self.context = context
        self.limits = limits
        self.isLenient = isLenient
        receiver.context = context
        try configure(encoding: encoding)
    }

    deinit {
        // libxml2 keeps declared entities in a separate document, which the caller must free (SAX_COMPAT_MODE).
        if let document = context.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(context)
    }

    /// Parses the next bytes of the document, which must be valid only during the call.
    ///
    /// Events and errors may be delayed until later bytes or ``finish()``: pieces under 256 KiB are collected.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for malformed XML and for entities, `.fileReadTooLarge` over a
    ///   limit, and the handler's errors. After an error every further call throws it again.
    /// - Complexity: Linear in the bytes.
    public func parse(_ bytes: UnsafeRawBufferPointer) throws {
        if let failure = receiver.failure { throw failure }
        guard bytes.count <= limits.bytes - bytesTaken else {
            throw fail(XMLErrors.tooLarge(line: receiver.line, "more than \(limits.bytes) bytes"))
        }
        bytesTaken += bytes.count
        var rest = bytes[...]
        while pending.count + rest.count >= sliceSize {
            let head = rest.prefix(sliceSize - pending.count)
            pending.append(contentsOf: head)
            rest = rest.dropFirst(head.count)
            try feedPending()
        }
        pending.append(contentsOf: rest)
    }

    /// Parses the next bytes of the document.
    public func parse(_ data: Data) throws {
        try data.withUnsafeBytes { try parse($0) }
    }

    /// Ends the document and the parsing. Further calls do nothing.
    ///
    /// - Throws: As ``parse(_:)-(UnsafeRawBufferPointer)``, and if the document is empty or incomplete.
    public func finish() throws {
        if let failure = receiver.failure { throw failure }
        guard !isFinished else { return }
        isFinished = true
        try feedPending()
        XMLLibrary.silently { _ = xmlParseChunk(context, nil, 0, 1) }
        if isLenient { receiver.finish() }
        try check()
        guard receiver.isComplete || isLenient && receiver.hasBegun else {
            throw fail(
                XMLErrors.malformed(line: receiver.line, reason: "the document ends before its first element does"))
        }
    }
}

extension XMLEventParser {
    /// No option that loads a DTD or expands entities. "Huge" lifts libxml2's own caps, which ours replace.
    private var options: UInt32 {
        XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue | (isLenient ? XML_PARSE_RECOVER.rawValue : 0)
    }

    private func configure(encoding: String?) throws {
        xmlCtxtUseOptions(context, Int32(bitPattern: options))
        if let encoding {
            guard let handler = xmlFindCharEncodingHandler(encoding) else {
                throw XMLErrors.make(
                    .fileReadUnknownStringEncoding, "The text encoding “\(encoding)” is not supported.")
            }
            xmlSwitchToEncoding(context, handler)
            ignoreDeclaredEncoding()
        }
    }

    private func ignoreDeclaredEncoding() {
        xmlCtxtUseOptions(context, Int32(bitPattern: options | XML_PARSE_IGNORE_ENC.rawValue))
    }

    private func feedPending() throws {
        if isAtStart {
            isAtStart = false
            receiver.skippedLines = XMLProlog.repair(&pending)
            if XMLProlog.isWronglyWide(pending) { ignoreDeclaredEncoding() }
        }
        pending.withUnsafeBytes { bytes in
            let characters = bytes.assumingMemoryBound(to: CChar.self)
            XMLLibrary.silently { _ = xmlParseChunk(context, characters.baseAddress, Int32(characters.count), 0) }
        }
        pending.removeAll(keepingCapacity: true)
        try check()
    }

    private func check() throws {
        if let failure = receiver.failure { throw failure }
        try checkMemory()
        // Anything may follow the end of the first element.
        if isLenient, receiver.isComplete { return }
        if context.pointee.wellFormed == 0 && !isLenient || context.pointee.disableSAX != 0 {
            throw fail(XMLErrors.malformed(line: receiver.line, reason: "the text does not fit its encoding"))
        }
    }

    /// Limits what libxml2 buffers: constructs that it can only take whole, such as a comment or a tag, and names, of
    /// which it keeps every different one.
    private func checkMemory() throws {
        if let input = context.pointee.input, let end = input.pointee.end, let current = input.pointee.cur {
            let limit = max(limits.text, 1 << 20) + sliceSize
            guard end - current <= limit else {
                throw fail(XMLErrors.tooLarge(line: receiver.line, "a part of more than \(limit) bytes"))
            }
        }
        guard xmlDictGetUsage(context.pointee.dict) <= Self.maxNames else {
            throw fail(XMLErrors.tooLarge(line: receiver.line, "more than \(Self.maxNames) bytes of different names"))
        }
    }

    private static let maxNames = 16 << 20

    private func fail(_ error: any Error) -> any Error {
        receiver.fail(error)
        return error
    }
}

/// The state of libxml2 for the whole process.
enum XMLLibrary {
    private static let initialised: Void = xmlInitParser()

    /// Initialises the library. Must be called once before threads use it.
    static func prepare() { _ = initialised }

    /// Drops errors of the encoding layer that belong to no parser and would be printed to standard error; only on this
    /// thread and during `body`.
    static func silently(_ body: () -> Void) {
        let saved = carrel_xml_mute()
        body()
        carrel_xml_unmute(saved)
    }
}
