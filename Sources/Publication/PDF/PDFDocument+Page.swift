extension PDFDocument {
    /// Writes a PDF document that consists of one page of the one in `resource`, and of the objects needed to draw it.
    ///
    /// The page looks as in its own document, except that forms show their last stored values. Links, private data of
    /// programs and metadata are left out. The new document is not encrypted. The resource is not closed.
    /// programs and metadata are left out. The new document is not encrypted. The resource stays the caller's.
    ///
    /// - Parameters:
    ///   - index: The index of the page, from 0.
    ///   - write: Receives the document piece by piece, on a thread that may block. An error from it ends the call.
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no such page; `.fileReadCorruptFile` for a file that is
    ///   not PDF or cannot be repaired; `.fileReadNoPermission` for one with a password; `.fileReadTooLarge` over a
    ///   limit of ``PDFDocument``, or for a page of more than 64 MiB; `.featureUnsupported` if ``isSupported`` is
    ///   false; the storage's errors.
    /// - Complexity: Reads the parts of the file that the page consists of, in pieces of 32 KiB to 1 MiB: usually up to
    ///   eight requests.
    public static func writePage(
        _ index: Int, of resource: any Resource, _ write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let blocks = PDFBlocks(resource, joinsNeighbours: true)
        try await PDFLibrary.extract(index, of: blocks, name: try await name(of: resource, blocks), write)
    }
}
