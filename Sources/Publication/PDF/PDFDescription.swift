import Archives
import FileProviderCore
import Foundation

/// The library's findings about a document, not yet put into order.
struct PDFDescription: Sendable {
    /// A text in the document's metadata.
    enum Text: Hashable, Sendable {
        case title, author, subject, keywords, created, modified, language, base
    }

    /// An item of the outline with its level, from 0.
    struct Item: Sendable {
        var level: Int
        var title: String
        var page: Int?
        /// As written.
        var address: String?
        var action: String?
    }

    var pageCount = 0
    var firstPage: PDFDocument.PageSize?
    var outline: [Item] = []
    var texts: [Text: String] = [:]
    /// The two parts of the trailer's `/ID`.
    var identifiers: [Data] = []
    var xmp = Data()
    var isRightToLeft = false
    var warnings: [ContentWarning] = []
}

extension PDFDocument.OutlineItem {
    /// Nests items by level: each becomes a child of the last item with a lower level.
    static func tree(_ items: [PDFDescription.Item], base: String? = nil) -> [Self] {
        // The open branch: one list for each level, each the children of the last item of the list before.
        var branch: [[Self]] = [[]]
        func close(to level: Int) {
            while branch.count > level + 1 {
                let children = branch.removeLast()
                if let last = branch[branch.count - 1].indices.last {
                    branch[branch.count - 1][last].children = children
                }
            }
        }
        for item in items {
            let level = min(item.level, branch.count)
            close(to: level)
            // An item one level below the last one of the branch starts a new list.
            if level == branch.count { branch.append([]) }
            let address = item.address.flatMap { PDFAddress.resolve($0, base: base) }
            branch[branch.count - 1].append(
                Self(title: item.title, page: item.page, address: address, action: item.action))
        }
        close(to: 0)
        return branch[0]
    }
}

extension PDFDocument.Details {
    /// Returns the details of a document, and warnings about all its faults.
    static func read(_ found: PDFDescription) -> (Self, [ContentWarning]) {
        var warnings = found.warnings
        var xmp: XMPMetadata?
        do {
            if !found.xmp.isEmpty { xmp = try XMPMetadata(found.xmp) }
        } catch {
            warnings.append(
                ContentWarning(
                    "damaged-metadata", severity: .minor,
                    message: "The document's XMP metadata cannot be read; the metadata were left out."))
        }
        var details = Self()
        details.title = xmp?.title ?? found.text(.title).map { LocalizedString($0) }
        details.authors = xmp?.creators.nonEmpty ?? found.list(.author, separators: ";")
        details.publishers = xmp?.publishers ?? []
        details.description = xmp?.description ?? found.text(.subject)
        details.keywords = xmp?.subjects.nonEmpty ?? xmp?.keywords.nonEmpty ?? found.list(.keywords, separators: ",;")
        details.languages = found.text(.language).map { [$0] } ?? xmp?.languages ?? []
        if found.identifiers.count == 2 {
            details.identifier = found.identifiers.map { Hexadecimal.text($0) }.joined(separator: ";")
        }
        details.created = xmp?.created ?? found.texts[.created].flatMap(Date.init(pdfText:))
        details.modified = xmp?.modified ?? found.texts[.modified].flatMap(Date.init(pdfText:))
        let dates: [(name: String, date: Date?, text: String?)] = [
            ("creation", details.created, xmp?.createdText ?? found.text(.created)),
            ("last change", details.modified, xmp?.modifiedText ?? found.text(.modified)),
        ]
        for case (let name, nil, let text?) in dates {
            let sentence = "“\(text.prefix(100))”, the date of the document's \(name), cannot be read; it was left out."
            warnings.append(ContentWarning("unreadable-date", severity: .minor, message: sentence))
        }
        details.isRightToLeft = found.isRightToLeft
        return (details, warnings)
    }
}

extension PDFDescription {
    fileprivate func text(_ kind: Text) -> String? { texts[kind]?.onOneLine }

    fileprivate func list(_ kind: Text, separators: String) -> [String] {
        (texts[kind] ?? "").split { separators.contains($0) }.compactMap { String($0).onOneLine }
    }
}

extension String {
    /// Without control characters, and with single spaces; nil if the result is empty.
    var onOneLine: String? {
        let words = unicodeScalars.split {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control || $0.value == 0xFEFF
        }
        return words.isEmpty ? nil : words.map { String($0) }.joined(separator: " ")
    }
}

extension Array {
    /// Nil if empty.
    var nonEmpty: Self? { isEmpty ? nil : self }
}
