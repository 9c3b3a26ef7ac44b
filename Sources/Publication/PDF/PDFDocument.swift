import Archives
import FileProviderCore
public import Foundation

/// The number of pages, page sizes, outline and metadata of a PDF file (ISO 32000), read in place.
///
/// Does not draw. Of an undamaged file, reads only its end, which has its table of objects, and the objects needed. A
/// damaged file of up to 64 MiB is reconstructed from all its bytes. One call reads at most 64 MiB (and twice the file
/// if it is repaired), unpacks at most 64 MiB of objects, and processes at most a million words in objects, a million
/// pages and 20 seconds of work. Over a limit it throws `CocoaError(.fileReadTooLarge)`, or leaves the rest out if only
/// the outline or metadata are concerned. The storage decides how long one read may take.
public final class PDFDocument: Sendable {
    /// Whether PDF files can be read: false in a build without the package trait `Formats`.
    public static let isSupported: Bool = {
        #if Formats
            true
        #else
            false
        #endif
    }()

    /// The number of pages, counted rather than taken from the file's claim. The claim is used, if plausible, only for
    /// a large file without an outline whose tree of pages is scattered over it.
    public let pageCount: Int
    /// The size of the first page; nil if there is no page.
    public let firstPage: PageSize?
    /// The outline, which readers show as a table of contents; at most 20,000 items in 32 levels.
    public let outline: [OutlineItem]
    /// The document's metadata.
    public let details: Details
    /// Warnings about damage, and how it was handled.
    public let warnings: [ContentWarning]
    /// The longest that one call may work, in seconds.
    static let maxSeconds = 20.0
    private let blocks: PDFBlocks
    private let name: String

    init(_ description: PDFDescription, blocks: PDFBlocks, name: String) {
        pageCount = description.pageCount
        firstPage = description.firstPage
        outline = OutlineItem.tree(description.outline, base: description.texts[.base])
        (details, warnings) = Details.read(description)
        self.blocks = blocks
        self.name = name
    }

    /// Reads the document in `resource`, which is not closed and must stay open for ``pageSizes(_:)``.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that is not PDF or cannot be repaired;
    ///   `.fileReadNoPermission` for one with a password; `.fileReadTooLarge` over a limit; `.featureUnsupported` if
    ///   ``isSupported`` is false; the storage's errors.
    /// - Complexity: Usually three to six requests for a file of any size: its start, its end, and the objects that the
    ///   end points to. Eight more if the tree of pages is scattered over the file; with an outline, one for each node
    ///   of the tree, eight at a time.
    public static func open(_ resource: any Resource) async throws -> PDFDocument {
        try await open(resource, seconds: maxSeconds)
    }

    static func open(_ resource: any Resource, seconds: Double) async throws -> PDFDocument {
        let blocks = PDFBlocks(resource)
        let name = try await name(of: resource, blocks)
        return PDFDocument(
            try await PDFLibrary.describe(blocks, name: name, seconds: seconds), blocks: blocks, name: name)
    }

    /// The name of the file for messages, once it is known to be a PDF file.
    static func name(of resource: any Resource, _ blocks: PDFBlocks) async throws -> String {
        let name = resource.link.href.removingPercentEncoding ?? resource.link.href
        // The header may come after other bytes (ISO 32000-1, annex H, note 13).
        guard try await blocks.head().prefix(1024).range(of: Data("%PDF-".utf8)) != nil else {
            throw FileError.make(.fileReadCorruptFile, path: name, sentence: "“\(name)” is not a PDF file.")
        }
        return name
    }

    /// Returns the sizes of the pages with the indexes `range`, from 0, clamped to the existing pages; all if `range`
    /// is nil.
    ///
    /// - Throws: As ``open(_:)``.
    /// - Complexity: Reads the tree of pages up to the last page and each page asked for. Pages may be scattered over
    ///   the file, so ask for few pages of a large one.
    public func pageSizes(_ range: Range<Int>? = nil) async throws -> [PageSize] {
        let range = (range ?? 0..<pageCount).clamped(to: 0..<pageCount)
        return range.isEmpty ? [] : try await PDFLibrary.pages(range, of: blocks, name: name)
    }
}

extension PDFDocument {
    /// One entry of the outline.
    public struct OutlineItem: Hashable, Sendable {
        /// The text of the entry, on one line.
        public var title: String
        /// The index of the page it leads to, from 0; nil if it leads to none of this document.
        public var page: Int?
        /// The web address it leads to, percent-encoded; nil if it leads to none.
        public var address: String?
        /// The named action for a reader, such as `NextPage` (ISO 32000-1, section 12.6.4.11); nil if there is none. An
        /// action that leads to the first or the last page sets ``page`` instead.
        public var action: String?
        /// The entries below it.
        public var children: [OutlineItem]

        /// An entry with all its parts.
        public init(
            title: String, page: Int?, address: String? = nil, action: String? = nil, children: [OutlineItem] = []
        ) {
            self.title = title
            self.page = page
            self.address = address
            self.action = action
            self.children = children
        }
    }

    /// A document's metadata: each value from its metadata stream (XMP), else from its information dictionary.
    public struct Details: Hashable, Sendable {
        /// The title (`dc:title`, `/Title`).
        public var title: LocalizedString?
        /// The authors (`dc:creator`, `/Author`).
        public var authors: [String] = []
        /// The publishers (`dc:publisher`).
        public var publishers: [String] = []
        /// A description in prose (`dc:description`, `/Subject`; ISO 32000-2, table 349).
        public var description: String?
        /// The keywords (`dc:subject`, else `pdf:Keywords` or `/Keywords`, split at commas and semicolons).
        public var keywords: [String] = []
        /// Its language as a BCP 47 tag (the catalog's `/Lang`, else `dc:language`).
        public var languages: [String] = []
        /// The trailer's `/ID`: both parts in hexadecimal digits, with a semicolon between them.
        public var identifier: String?
        /// The creation date (`xmp:CreateDate`, `/CreationDate`).
        public var created: Date?
        /// The date of the last change (`xmp:ModifyDate`, `/ModDate`).
        public var modified: Date?
        /// Whether its pages go from right to left.
        public var isRightToLeft = false

        /// Empty details.
        public init() {}
    }

    /// The size of a page, and the part of it to show.
    public struct PageSize: Hashable, Sendable {
        /// A rectangle; its origin is the lower left corner, as PDF has it.
        public struct Box: Hashable, Sendable {
            /// The left and the lower edge.
            public var x, y: Double
            /// The extents, above 0.
            public var width, height: Double
        }

        /// The sheet, in units of ``unit``.
        public var mediaBox: Box
        /// The part of the sheet to show, in units of ``unit``.
        public var cropBox: Box
        /// The clockwise rotation for display: 0, 90, 180 or 270 degrees.
        public var rotation: Int
        /// The length of one unit in points, 1/72 inch; nearly always 1.
        public var unit: Double
        /// Whether the file gives no usable size, so that US Letter is assumed.
        public var isAssumed: Bool

        /// The width in points, as the page is shown.
        public var width: Double { unit * (isUpright ? cropBox.width : cropBox.height) }
        /// The height in points, as the page is shown.
        public var height: Double { unit * (isUpright ? cropBox.height : cropBox.width) }
        private var isUpright: Bool { rotation % 180 == 0 }
    }
}
