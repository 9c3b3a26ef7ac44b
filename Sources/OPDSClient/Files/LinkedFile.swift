import FileProviderCore
import Foundation
import MediaTypes

/// A file that a link of a catalogue leads to.
struct LinkedFile: Sendable {
    /// The address, without user and password.
    let url: URL
    /// The media type as the link has it; nil if it has none.
    let type: String?
    /// The address of the authentication document that the link names; nil if it names none.
    let authentication: URL?

    /// The bytes at the start of a file that show whether it is a page.
    static let headLength: Int64 = 1 << 10

    /// Checks that `head`, the first bytes of the file, is not a page that a server sends instead of a publication, such
    /// as a login form.
    ///
    /// A publication in another format than the link says passes: it is recognised when it is opened.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)`.
    func check(_ head: Data, at path: ProviderPath) throws {
        guard let type, let announced = MediaType(type)?.canonicalized, announced != .binary,
            let found = Self.page(head), !found.fits(announced)
        else { return }
        throw FileError.make(
            .fileReadCorruptFile, path: path, url: url,
            sentence:
                "“\(path.name)” is \(found.name) and not \(announced.name ?? announced.string), as the catalogue says; the server may have answered with it instead of the file."
        )
    }

    /// Whether a file that begins with `head` is a page or document as catalogues and web servers send them.
    static func isPage(_ head: Data) -> Bool { page(head) != nil }

    /// A kind of page.
    private enum Page {
        case html, xml, json

        var name: String {
            switch self {
            case .html: "a web page (HTML)"
            case .xml: "XML"
            case .json: "JSON"
            }
        }

        /// Whether a file of the type `announced` may begin so. Only HTML is never an e-book in a format that is not known
        /// here.
        func fits(_ announced: MediaType) -> Bool {
            if self == .html { return announced.isHTML || announced.type == "text" }
            return
                !(announced.isZIP || announced.isAudio || announced.isVideo || announced.isBitmap
                || MediaType.pdf.contains(announced))
        }
    }

    private static func page(_ head: Data) -> Page? {
        let start = head.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
        let text = String(decoding: start, as: UTF8.self).lowercased()
        if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") { return .html }
        if text.hasPrefix("<") { return text.contains("<html") ? .html : .xml }
        return text.hasPrefix("{") ? .json : nil
    }
}
