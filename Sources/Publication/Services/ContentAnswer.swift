import FileProviderCore
import Foundation

/// The content of a publication as JSON: a part of one resource of the reading order, with a link to the next part.
struct ContentAnswer: Sendable {
    static let href = "~readium/content"
    static let rel = "http://readium.org/content"
    static let type = "application/json"
    /// Elements of one part.
    private static let most = 1_000

    let service: any ContentService
    let readingOrder: [Link]

    /// - Parameter values: `resource`, an index in the reading order, and `skip`, a number of elements; both 0 unless
    ///   given.
    /// - Throws: Errors of the storage.
    /// - Complexity: The resource is read and taken apart for each of its parts.
    func part(_ values: [String: String]) async throws -> JSONValue {
        let index = values["resource"].flatMap { Int($0) } ?? 0
        let skipped = max(0, values["skip"].flatMap { Int($0) } ?? 0)
        guard readingOrder.indices.contains(index) else { return json([], next: nil) }
        let link = readingOrder[index]
        let resource = HREFBase.resource(of: link.href)
        let cursor = try await service.content(from: Locator(href: link.href, type: link.mediaType.string))
        var elements: [JSONValue] = []
        var passed = 0
        let following = index + 1 < readingOrder.count ? address(index + 1, skip: 0) : nil
        while true {
            try Task.checkCancellation()
            let element: ContentElement?
            do { element = try await cursor.next() } catch  where passed > 0 && !error.isCancellation {
                // The error belongs to what follows, which is asked for by itself.
                return json(elements, next: following)
            }
            guard let element, HREFBase.resource(of: element.locator.href) == resource else { break }
            passed += 1
            if passed <= skipped { continue }
            if elements.count == Self.most { return json(elements, next: address(index, skip: skipped + Self.most)) }
            elements.append(element.json)
        }
        return json(elements, next: following)
    }

    private func address(_ index: Int, skip: Int) -> String { "\(Self.href)?resource=\(index)&skip=\(skip)" }

    private func json(_ elements: [JSONValue], next: String?) -> JSONValue {
        let links = next.map { [Link(href: $0, type: Self.type, rels: ["next"]).json] } ?? []
        return .object(present: ["content": .array(elements), "links": .nonEmpty(links)], others: [:])
    }
}

extension ContentElement {
    /// `locator` and `role`; of a text `text`, `language`, `level` and `footnote`, of media `link` and `description`, of a
    /// page `label`.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue?] = ["locator": locator.json]
        switch body {
        case .text(let text):
            members["role"] = .string(text.role.name)
            members["text"] = .string(text.string)
            members["language"] = text.language.map { .string($0) }
            if case .heading(let level) = text.role { members["level"] = .integer(Int64(level)) }
            if text.isFootnote { members["footnote"] = .bool(true) }
        case .image(let media): members.merge(media.members("image")) { $1 }
        case .audio(let media): members.merge(media.members("audio")) { $1 }
        case .video(let media): members.merge(media.members("video")) { $1 }
        case .pageBreak(let label):
            members["role"] = .string("pagebreak")
            members["label"] = label.map { .string($0) }
        }
        return .object(members.compactMapValues(\.self))
    }
}

extension ContentElement.Media {
    fileprivate func members(_ role: String) -> [String: JSONValue?] {
        ["role": .string(role), "link": link.json, "description": description.map { .string($0) }]
    }
}

extension ContentElement.Role {
    fileprivate var name: String {
        switch self {
        case .paragraph: "paragraph"
        case .heading: "heading"
        case .listItem: "listitem"
        case .quotation: "quotation"
        case .caption: "caption"
        case .tableCell: "cell"
        case .preformatted: "preformatted"
        }
    }
}
