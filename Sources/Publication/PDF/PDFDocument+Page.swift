extension PDFDocument {
    /// Writes a PDF document that consists of one page of the one in `resource`, and of what is needed to draw it.
    ///
    /// It draws as the page does in its own document, except that forms show what was last stored. Links, data of
    /// programs and metadata are left out. The new document is not encrypted. The resource stays the caller's.
    ///
    /// - Parameters:
    ///   - index: The index of the page, from 0.
    ///   - write: Receives the document piece by piece, on a thread that may block. Its error ends the call.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for a page that is not there; `.fileReadCorruptFile` for what is no
    ///   PDF file or damaged beyond help; `.fileReadNoPermission` for one that takes a password; `.fileReadTooLarge`
    ///   over a limit of ``PDFDocument``, or for a page of more than 64 MiB; `.featureUnsupported` where
    ///   ``isSupported`` is false; the storage's errors.
    /// - Complexity: The parts of the file that the page consists of, in pieces of 32 KiB to 1 MiB: usually up to eight
    ///   requests.
    public static func writePage(
        _ index: Int, of resource: any Resource, _ write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let blocks = PDFBlocks(resource, joinsNeighbours: true)
        try await PDFLibrary.extract(index, of: blocks, name: try await name(of: resource, blocks), write)
    }
}
