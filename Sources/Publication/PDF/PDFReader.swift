#if Formats
    import FileProviderCore
    import Foundation

    /// Reads a PDF file for code that blocks until the bytes arrive: used on a thread that may block, never on Swift's
    /// shared ones.
    final class PDFReader: Sendable {
        private let blocks: PDFBlocks
        private let waiting = TaskWait()
        private let lastFailure = LockedValue<(any Error)?>(nil)

        init(_ blocks: PDFBlocks) { self.blocks = blocks }

        /// The error with which reading failed, if it did.
        var failure: (any Error)? { lastFailure.value }

        /// Copies the block at `offset` into `buffer`; blocks until it arrives.
        ///
        /// - Returns: The number of bytes; nil after a failure, which ``failure`` keeps.
        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            do {
                let data = try waiting.value { [blocks] in try await blocks.block(at: offset) }
                data.prefix(buffer.count).copyBytes(to: buffer)
                return min(data.count, buffer.count)
            } catch {
                lastFailure.update { $0 = error }
                return nil
            }
        }

        /// Loads the blocks at `offsets` at once. Errors surface when the blocks are read.
        func prefetch(_ offsets: [Int64]) {
            try? waiting.value { [blocks] in try await blocks.prefetch(offsets) }
        }

        /// Ends the current read, even if the storage continues it, and every later one. May be called from any thread.
        func cancel() { waiting.cancel() }
    }
#endif
