import FileProviderCore
import Foundation
import Synchronization

/// Inserts style sheets, scripts and attributes into the HTML and XHTML resources of a publication.
///
/// The document is not rewritten: bytes are inserted, and all others are unchanged. Comments, CDATA, scripts, the
/// document type and tags in capitals are parsed correctly. A document without a head gets one.
public struct HTMLInjector: Sendable {
    /// The default for ``limit``: 8 MiB. Larger documents are passed on unchanged.
    public static let usualLimit = 8 << 20

    /// Markup to insert right after `<head>`, such as style sheets that the book's own may override. In XHTML it must
    /// be well-formed.
    public var headStart: [String] = []
    /// Markup to insert right before `</head>`, where it takes precedence.
    public var headEnd: [String] = []
    /// Attributes for `<html>` by name, such as `dir`. Existing attributes stay; values for `class` and `style` are
    /// appended.
    public var htmlAttributes: [String: String] = [:]
    /// Attributes for `<body>`, in the same way.
    public var bodyAttributes: [String: String] = [:]
    /// The size in bytes of the largest document that is changed. Each resource that is being read holds as much in
    /// memory.
    public var limit = HTMLInjector.usualLimit

    /// An injector that changes nothing yet.
    public init() {}

    /// The transformer for a ``TransformingFetcher``. Returns resources of other types unchanged.
    public var transformer: ResourceTransformer {
        { resource in resource.link.mediaType.isHTML ? InjectedResource(resource, injector: self) : resource }
    }

    /// A `link` to the style sheet at `href`.
    public static func stylesheet(_ href: String) -> String {
        "<link rel=\"stylesheet\" type=\"text/css\" href=\"\(escaped(href))\"/>"
    }

    /// A `script` that is loaded from `href`.
    public static func script(_ href: String) -> String {
        "<script type=\"text/javascript\" src=\"\(escaped(href))\"></script>"
    }

    /// A `style` element, the same in HTML and XHTML.
    public static func style(_ css: String) -> String {
        let isPlain = !css.utf8.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        return "<style type=\"text/css\">\(isPlain ? css : "/*<![CDATA[*/\(css)/*]]>*/")</style>"
    }

    static func escaped(_ value: String) -> String {
        value.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\"", with: "&quot;")
    }
}

extension HTMLInjector {
    /// Returns `document` with all insertions; nil if it has no place for them, or its encoding is unknown.
    ///
    /// - Parameter link: Its type gives the `charset`, and distinguishes XHTML from HTML.
    func inject(into document: Data, of link: Link) -> Data? {
        guard let form = HTMLForm(document, of: link) else { return nil }
        let outline = HTMLOutline(form.bytes, isXML: form.isXML)
        guard let edits = edits(of: outline, form) else { return nil }
        return form.encoded(HTMLEdit.apply(edits, to: form.bytes))
    }

    /// Nil where there is no place.
    private func edits(of outline: HTMLOutline, _ form: HTMLForm) -> [HTMLEdit]? {
        guard outline.html != nil || !form.isXML else { return nil }
        let (start, end) = (form.spelt(headStart.joined()), form.spelt(headEnd.joined()))
        var edits = headEdits(of: outline, start: start, end: end, isXML: form.isXML)
        if let html = outline.html { edits += html.adding(htmlAttributes, form: form) }
        if let body = outline.body { edits += body.adding(bodyAttributes, form: form) }
        return edits
    }

    private func headEdits(of outline: HTMLOutline, start: [UInt8], end: [UInt8], isXML: Bool) -> [HTMLEdit] {
        if start.isEmpty, end.isEmpty { return [] }
        guard let head = outline.head else {
            let location = outline.html?.range.upperBound ?? outline.body?.range.lowerBound ?? outline.contentStart
            return [
                HTMLEdit(location..<location, replacement: Array("<head>".utf8) + start + end + Array("</head>".utf8))
            ]
        }
        if isXML, head.isSelfClosing {
            let slash = head.range.upperBound - 2
            return [
                HTMLEdit(
                    slash..<head.range.upperBound, replacement: Array(">".utf8) + start + end + Array("</head>".utf8))
            ]
        }
        let first = head.range.upperBound
        // HTML may omit the end tag: the body ends the head.
        let last = outline.headEnd ?? outline.body?.range.lowerBound ?? first
        return [HTMLEdit(first..<first, replacement: start), HTMLEdit(last..<last, replacement: end)]
    }
}

/// A document that is changed when it is first read, and kept.
private final class InjectedResource: Resource {
    private enum Outcome {
        case changed(Data)
        case unchanged
    }

    let link: Link
    private let base: any Resource
    private let injector: HTMLInjector
    private let outcome = Mutex<Outcome?>(nil)

    init(_ base: any Resource, injector: HTMLInjector) {
        var link = base.link
        // The medium knows only the size before the change.
        link.size = nil
        self.link = link
        self.base = base
        self.injector = injector
    }

    /// Reads the document, unless it was read before.
    func length() async throws -> Int64 {
        switch try await result() {
        case .changed(let data): Int64(data.count)
        case .unchanged: try await base.length()
        }
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        switch try await result() {
        case .changed(let data): try await BytesResource(link, data: data).stream(range, into: sink)
        case .unchanged: try await base.stream(range, into: sink)
        }
    }

    func close() async { await base.close() }

    private func result() async throws -> Outcome {
        if let outcome = outcome.withLock({ $0 }) { return outcome }
        let result = try await make()
        outcome.withLock { $0 = result }
        return result
    }

    private func make() async throws -> Outcome {
        // Only a hint: the claimed length may be wrong.
        if let length = try? await base.length(), length > Int64(injector.limit) { return .unchanged }
        let sink = DataSink(limit: injector.limit)
        do {
            try await base.stream(nil, into: sink)
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            return .unchanged
        }
        return injector.inject(into: sink.data, of: base.link).map { .changed($0) } ?? .unchanged
    }
}
