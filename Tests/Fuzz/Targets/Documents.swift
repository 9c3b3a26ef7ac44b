import FileProviderCore
import Foundation

@testable import Archives
@testable import MediaTypes
@testable import Publication
@testable import SafeXML

/// An XML document: whole, as text that need not be well-formed, with its own entities, and in pieces.
func fuzzXML(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    let limits = XMLLimits(bytes: 1 << 16, depth: 32, text: 1 << 12, attributes: 16, elements: 500)
    let strict = try? XMLElement.parse(bytes, limits: limits)
    let lenient = try? XMLElement.parse(bytes, limits: limits, isLenient: true)
    let expanded = try? XMLElement.parse(bytes, limits: limits, expandsEntities: true)
    let repaired = try? XMLElement.parse(bytes, limits: limits, isLenient: true, expandsEntities: true)
    for root in [strict, lenient, expanded, repaired].compactMap(\.self) {
        precondition(depth(of: root) <= 32 && count(in: root) <= 500, "It is larger than allowed.")
    }
    if let strict {
        precondition(lenient.map { isSame($0, strict) } == true, "Being lenient changes what is well-formed.")
    }
    if let strict {
        precondition(expanded.map { isSame($0, strict) } == true, "Expanding changes what has no entities.")
    }
    if let expanded {
        precondition(repaired.map { isSame($0, expanded) } == true, "Being lenient changes what is expanded.")
    }
    let pieces = readPieces(bytes, limits: limits)
    if let strict, let pieces { precondition(count(in: strict) == pieces, "Pieces matter.") }
    return 0
}

/// The number of elements; nil where it is refused.
private func readPieces(_ bytes: Data, limits: XMLLimits) -> Int? {
    let counter = EventCounter()
    defer { precondition(counter.elements <= limits.elements, "There are more elements than allowed.") }
    guard let parser = try? XMLEventParser(limits: limits, handler: counter) else { return nil }
    parser.sliceSize = 512
    do {
        for start in stride(from: 0, to: bytes.count, by: 100) { try parser.parse(bytes.dropFirst(start).prefix(100)) }
        try parser.finish()
    } catch {
        precondition(error is CocoaError, "It is not told in Foundation's words.")
        return nil
    }
    precondition(counter.open == 0, "An element has no end.")
    return counter.elements
}

private func depth(of element: XMLElement) -> Int { 1 + (element.children.map { depth(of: $0) }.max() ?? 0) }

private func count(in element: XMLElement) -> Int { element.children.reduce(1) { $0 + count(in: $1) } }

private func isSame(_ left: XMLElement, _ right: XMLElement) -> Bool {
    left.name == right.name && left.namespace == right.namespace && left.attributes == right.attributes
        && left.ownText == right.ownText && left.children.count == right.children.count
        && zip(left.children, right.children).allSatisfy { isSame($0, $1) }
}

private final class EventCounter: XMLEventHandler {
    var elements = 0
    var open = 0

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        elements += 1
        open += 1
    }

    func end(element: String, namespace: String) throws { open -= 1 }
}

/// A manifest, which says the same once it was written and read again. Moments are written to the millisecond, so texts
/// are compared.
func fuzzManifest(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    let json = try? JSONValue(data: bytes, maximumSize: bytes.count)
    let lenient = JSONValue(lenient: bytes, maximumSize: Manifest.defaultMaximumSize)
    if let json { precondition(lenient == json, "Being lenient changes what is JSON.") }
    guard let value = json ?? lenient else { return 0 }
    do {
        let again = try JSONValue(data: value.data, maximumSize: 1 << 20)
        precondition(again == value, "JSON changed as text.")
        guard let manifest = try? Manifest(json: value) else { return 0 }
        try checkManifest(manifest)
        let values = try Manifest(json: manifest.json)
        let text = try Manifest(data: manifest.json.data)
        precondition(text == values, "A manifest changed as text.")
    } catch {
        preconditionFailure("A manifest is not read back: \(error)")
    }
    return 0
}

/// A PDF file, the sizes of its first pages, and its first page as a document.
func fuzzPDF(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    wait {
        let resource = BytesResource(Link(href: "book.pdf"), data: bytes)
        let document = try await PDFDocument.open(resource)
        let sizes = try await document.pageSizes(0..<20)
        precondition(sizes.count == min(20, document.pageCount), "A page has no size.")
        precondition(
            sizes.allSatisfy { $0.width > 0 && $0.height > 0 && $0.width.isFinite && $0.height.isFinite },
            "A size is none.")
        try await PDFDocument.writePage(0, of: resource) { _ in }
    }
    return 0
}
