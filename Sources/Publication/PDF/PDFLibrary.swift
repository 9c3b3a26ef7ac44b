import Archives
import FileProviderCore
import Foundation

#if Formats
    import CPDF

    /// The only user of the shim over qpdf, which blocks: its calls run on dedicated threads.
    enum PDFLibrary {
        private static let threads = BlockingThreads(count: 4, name: "carrel.pdf")

        /// Reads the metadata, pages and outline of the document.
        ///
        /// - Parameter seconds: The longest working time, without waiting for the file.
        static func describe(_ blocks: PDFBlocks, name: String, seconds: Double) async throws -> PDFDescription {
            try await run(blocks, name: name, seconds: seconds) { size, call in
                var facts = carrel_pdf_facts()
                var sink = call.sink
                let result = carrel_pdf_describe(size, &sink, &facts)
                call.found.pageCount = max(0, facts.page_count)
                if facts.page_count > 0 { call.found.firstPage = PDFDocument.PageSize(facts.first_page) }
                call.found.isRightToLeft = facts.is_right_to_left != 0
                call.found.warnings = Problems.warnings(facts.problems)
                return result
            }.found
        }

        /// Returns the sizes of some pages.
        static func pages(_ range: Range<Int>, of blocks: PDFBlocks, name: String) async throws -> [PDFDocument
            .PageSize]
        {
            try await run(blocks, name: name, seconds: PDFDocument.maxSeconds) { size, call in
                var sink = call.sink
                return carrel_pdf_pages(size, range.lowerBound, range.count, &sink)
            }.pages
        }

        /// Writes a document that consists of one page.
        static func extract(
            _ index: Int, of blocks: PDFBlocks, name: String,
            _ write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
        ) async throws {
            let page = index < .max ? "\(index + 1)" : "\(index)"
            _ = try await run(blocks, name: name, seconds: PDFDocument.maxSeconds, write: write) { size, call in
                var sink = call.sink
                let result = carrel_pdf_extract(size, index, &sink)
                if result == carrel_pdf_no_page {
                    call.failure = FileError.make(
                        .fileReadNoSuchFile, path: name, sentence: "“\(name)” has no page \(page).")
                }
                return result
            }
        }

        private typealias Results = (found: PDFDescription, pages: [PDFDocument.PageSize])

        /// Runs `body` on one of the threads. If the caller is cancelled, it waits neither for its turn nor for bytes.
        private static func run(
            _ blocks: PDFBlocks, name: String, seconds: Double,
            write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void = { _ in },
            _ body: @escaping @Sendable (Int64, PDFCall) -> carrel_pdf_result
        ) async throws -> Results {
            let size = try await blocks.size()
            let reading = PDFReader(blocks)
            let task = Task<Results, any Error> {
                try await threads.run { flag -> Results in
                    try flag.check()
                    let call = PDFCall(reading, seconds: seconds, write: write)
                    let result = body(size, call)
                    if let failure = call.failure { throw failure }
                    try check(result, reading, name: name)
                    return (call.found, call.pages)
                }
            }
            return try await withTaskCancellationHandler {
                try await task.sharedValue()
            } onCancel: {
                task.cancel()
                reading.cancel()
            }
        }

        private static func check(_ result: carrel_pdf_result, _ reading: PDFReader, name: String) throws {
            switch result {
            case carrel_pdf_done: return
            case carrel_pdf_locked:
                throw FileError.make(
                    .fileReadNoPermission, path: name, sentence: "“\(name)” is locked with a password.")
            case carrel_pdf_too_large:
                throw FileError.make(
                    .fileReadTooLarge, path: name,
                    sentence: "“\(name)” would take too much memory or time to read.")
            case carrel_pdf_stopped: throw reading.failure ?? CancellationError()
            default:
                throw FileError.make(
                    .fileReadCorruptFile, path: name,
                    sentence: "“\(name)” is a damaged PDF file: no pages can be found in it.")
            }
        }
    }

    /// The state of one call, used by its callbacks on a single thread.
    private final class PDFCall {
        let reading: PDFReader
        var found = PDFDescription()
        var pages: [PDFDocument.PageSize] = []

        /// The error that ends the call in place of the library's result.
        var failure: (any Error)?

        private let seconds: Double
        private let write: (UnsafeRawBufferPointer) throws -> Void

        init(_ reading: PDFReader, seconds: Double, write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
            self.reading = reading
            self.seconds = seconds
            self.write = write
        }

        /// Valid for the lifetime of this object.
        var sink: carrel_pdf_sink {
            carrel_pdf_sink(
                context: Unmanaged.passUnretained(self).toOpaque(),
                read: { context, offset, buffer, count in
                    guard let call = PDFCall.call(context), let buffer else { return -1 }
                    return call.reading.read(
                        at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: count)) ?? -1
                },
                prefetch: { context, offsets, count in
                    guard let call = PDFCall.call(context), let offsets else { return }
                    call.reading.prefetch(Array(UnsafeBufferPointer(start: offsets, count: count)))
                },
                seconds: seconds,
                text: { context, kind, bytes, count in
                    guard let call = PDFCall.call(context), let bytes else { return }
                    call.take(kind, Data(bytes: bytes, count: count))
                },
                outline: { context, item in
                    guard let call = PDFCall.call(context), let item else { return }
                    call.found.outline.append(PDFDescription.Item(item.pointee))
                },
                page: { context, page in
                    guard let call = PDFCall.call(context), let page else { return }
                    call.pages.append(PDFDocument.PageSize(page.pointee))
                },
                write: { context, bytes, count in
                    guard let call = PDFCall.call(context), let bytes else { return -1 }
                    do { try call.write(UnsafeRawBufferPointer(start: bytes, count: count)) } catch {
                        call.failure = error
                        return -1
                    }
                    return 0
                })
        }

        private static func call(_ context: UnsafeMutableRawPointer?) -> PDFCall? {
            context.map { Unmanaged<PDFCall>.fromOpaque($0).takeUnretainedValue() }
        }

        private func take(_ kind: carrel_pdf_text, _ bytes: Data) {
            switch kind {
            case carrel_pdf_first_id, carrel_pdf_second_id: found.identifiers.append(bytes.prefix(256))
            case carrel_pdf_xmp: found.xmp = bytes
            default:
                guard let text = Self.texts[kind.rawValue] else { return }
                found.texts[text] = String(decoding: bytes, as: UTF8.self)
            }
        }

        private static let texts: [UInt32: PDFDescription.Text] = [
            carrel_pdf_title.rawValue: .title, carrel_pdf_author.rawValue: .author,
            carrel_pdf_subject.rawValue: .subject,
            carrel_pdf_keywords.rawValue: .keywords, carrel_pdf_created.rawValue: .created,
            carrel_pdf_modified.rawValue: .modified,
            carrel_pdf_language.rawValue: .language, carrel_pdf_base.rawValue: .base,
        ]
    }

    extension PDFDescription.Item {
        fileprivate init(_ item: carrel_pdf_item) {
            level = Int(item.depth)
            title = Self.text(item.title, item.title_count).onOneLine ?? "–"
            page = item.page < 0 ? nil : item.page
            let link = Self.text(item.link, item.link_count)
            address = item.kind == carrel_pdf_link_address ? link : nil
            action = item.kind == carrel_pdf_link_action ? link : nil
        }

        private static func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
            String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
    }

    extension PDFDocument.PageSize {
        fileprivate init(_ page: carrel_pdf_page) {
            self.init(
                mediaBox: Box(page.media), cropBox: Box(page.crop), rotation: Int(page.rotation), unit: page.unit,
                isAssumed: page.is_assumed != 0)
        }
    }

    extension PDFDocument.PageSize.Box {
        fileprivate init(_ edges: (Double, Double, Double, Double)) {
            self.init(x: edges.0, y: edges.1, width: edges.2 - edges.0, height: edges.3 - edges.1)
        }
    }

    /// The bits of `carrel_pdf_problem` as warnings.
    private enum Problems {
        private static let all: [(bit: carrel_pdf_problem, warning: ContentWarning)] = [
            (
                carrel_pdf_repaired,
                ContentWarning(
                    "repaired-pdf", severity: .moderate,
                    message: "The document is damaged; the readable parts were used.")
            ),
            (
                carrel_pdf_miscounted,
                ContentWarning(
                    "wrong-page-count", severity: .minor,
                    message: "The document claims a wrong number of pages; the pages were counted instead.")
            ),
            (
                carrel_pdf_pages_damaged,
                ContentWarning(
                    "damaged-pages", severity: .major,
                    message: "Parts of the document's page tree are damaged; the pages in them were left out.")
            ),
            (
                carrel_pdf_outline_cut,
                ContentWarning(
                    "large-outline", severity: .moderate,
                    message: "The document's outline is too large; a part of it was left out.")
            ),
            (
                carrel_pdf_outline_damaged,
                ContentWarning(
                    "damaged-outline", severity: .moderate,
                    message: "The document's outline is damaged; a part of it was left out.")
            ),
            (
                carrel_pdf_metadata_damaged,
                ContentWarning(
                    "damaged-metadata", severity: .minor,
                    message: "Some of the document's metadata cannot be read; they were left out.")
            ),
        ]

        static func warnings(_ bits: UInt32) -> [ContentWarning] {
            all.filter { bits & $0.bit.rawValue != 0 }.map(\.warning)
        }
    }
#else
    /// A build without the trait `Formats`.
    enum PDFLibrary {
        static func describe(_ blocks: PDFBlocks, name: String, seconds: Double) async throws -> PDFDescription {
            throw unsupported(name)
        }

        static func pages(_ range: Range<Int>, of blocks: PDFBlocks, name: String) async throws -> [PDFDocument
            .PageSize]
        {
            throw unsupported(name)
        }

        static func extract(
            _ index: Int, of blocks: PDFBlocks, name: String,
            _ write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
        ) async throws { throw unsupported(name) }

        private static func unsupported(_ name: String) -> CocoaError {
            FileError.missing(MissingTrait(name: "Formats", purpose: "reads PDF files"), path: name)
        }
    }
#endif
