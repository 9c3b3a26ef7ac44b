import Archives
import FileProviderCore
public import Foundation

/// What a PDF file (ISO 32000) says of itself, read where it lies: its number of pages, their sizes, its outline and
/// its metadata.
///
/// Nothing is drawn. Of an undamaged file only the parts are read that this takes: its end, where its table of objects
/// is, and the objects needed. A damaged file is put together again from all its bytes if it has 64 MiB or less. One
/// look into a file takes at most 64 MiB of reading (and twice the file where it is repaired), 64 MiB of unpacked
/// objects, a million words in objects, a million pages and 20 seconds of work; what is over a limit ends in
/// `CocoaError(.fileReadTooLarge)`, or is left out where it is only the outline or metadata. How long one read may take
/// is for the storage to say.
public final class PDFDocument: Sendable {
    /// Whether PDF files can be read: false in a build without the package trait `Formats`.
    public static let isSupported: Bool = {
        #if Formats
            true
        #else
            false
        #endif
    }()

    /// The number of pages that there are, whatever the file claims. Only of a tree of pages that lies all over a large
    /// file, and that no outline asks for, the file's own number is taken if it makes sense.
    public let pageCount: Int
    /// The size of the first page; nil where there is no page.
    public let firstPage: PageSize?
    /// The outline, which readers show as a table of contents; at most 20,000 items in 32 levels.
    public let outline: [OutlineItem]
    /// What the document says of itself.
    public let details: Details
    /// What was damaged, and what was done about it.
    public let warnings: [ContentWarning]
    /// How long one look into a file may work, in seconds.
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

    /// Reads the document in `resource`, which stays the caller's and must stay open for ``pageSizes(_:)``.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for what is no PDF file or damaged beyond help;
    ///   `.fileReadNoPermission` for one that takes a password; `.fileReadTooLarge` over a limit; `.featureUnsupported`
    ///   where ``isSupported`` is false; the storage's errors.
    /// - Complexity: Usually three to six requests for a file of any size: its start, its end, and what the end points
    ///   at. Where the tree of pages lies all over a file, eight more; with an outline one for each node of the tree,
    ///   eight at a time.
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
            throw FileError.make(.fileReadCorruptFile, path: name, sentence: "“\(name)” is no PDF file.")
        }
        return name
    }

    /// The sizes of the pages with the indexes `range`, from 0, clamped to the pages that there are; nil for all.
    ///
    /// - Throws: As ``open(_:)``.
    /// - Complexity: The tree of pages up to there and each page asked for is read; pages may lie all over the file, so
    ///   ask for a few of a large one.
    public func pageSizes(_ range: Range<Int>? = nil) async throws -> [PageSize] {
        let range = (range ?? 0..<pageCount).clamped(to: 0..<pageCount)
        return range.isEmpty ? [] : try await PDFLibrary.pages(range, of: blocks, name: name)
    }
}

extension PDFDocument {
    /// One entry of the outline.
    public struct OutlineItem: Hashable, Sendable {
        /// What the entry says, on one line.
        public var title: String
        /// The index of the page it leads to, from 0; nil where it leads nowhere, out of the document, or does
        /// something else.
        public var page: Int?
        /// The web address it leads to, percent-encoded; nil where it leads to none.
        public var address: String?
        /// What it has a reader do, such as `NextPage` (ISO 32000-1, section 12.6.4.11); nil for nothing. What leads to
        /// the first or the last page has that ``page`` instead.
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

    /// What a document says of itself: each part from its metadata stream (XMP), else from its information dictionary.
    public struct Details: Hashable, Sendable {
        /// The title (`dc:title`, `/Title`).
        public var title: LocalizedString?
        /// Who wrote it (`dc:creator`, `/Author`).
        public var authors: [String] = []
        /// Who published it (`dc:publisher`).
        public var publishers: [String] = []
        /// What it is about, in prose (`dc:description`, `/Subject`; ISO 32000-2, table 349).
        public var description: String?
        /// What it is about, in words (`dc:subject`, else `pdf:Keywords` or `/Keywords`, taken apart at commas and
        /// semicolons).
        public var keywords: [String] = []
        /// Its language as a BCP 47 tag (the catalog's `/Lang`, else `dc:language`).
        public var languages: [String] = []
        /// The trailer's `/ID`: both parts in hexadecimal digits, with a semicolon between them.
        public var identifier: String?
        /// When it was made (`xmp:CreateDate`, `/CreationDate`).
        public var created: Date?
        /// When it was changed (`xmp:ModifyDate`, `/ModDate`).
        public var modified: Date?
        /// Whether its pages go from right to left.
        public var isRightToLeft = false

        /// Of a document that says nothing.
        public init() {}
    }

    /// How large a page is, and which part of it is meant to be seen.
    public struct PageSize: Hashable, Sendable {
        /// A rectangle; its origin is the lower left corner, as PDF has it.
        public struct Box: Hashable, Sendable {
            /// The left and the lower edge.
            public var x, y: Double
            /// Extents, above 0.
            public var width, height: Double
        }

        /// The sheet, in units of ``unit``.
        public var mediaBox: Box
        /// The part of the sheet to show, in units of ``unit``.
        public var cropBox: Box
        /// By how much the page is turned clockwise to be shown: 0, 90, 180 or 270 degrees.
        public var rotation: Int
        /// Points, 1/72 inch, of one unit; nearly always 1.
        public var unit: Double
        /// Whether the file gives no usable size, and US Letter stands in for it.
        public var isAssumed: Bool

        /// Points from left to right as the page is shown.
        public var width: Double { unit * (isUpright ? cropBox.width : cropBox.height) }
        /// Points from top to bottom as the page is shown.
        public var height: Double { unit * (isUpright ? cropBox.height : cropBox.width) }
        private var isUpright: Bool { rotation % 180 == 0 }
    }
}
