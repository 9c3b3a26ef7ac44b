#if Formats
    import FileProviderCore
    import Foundation

    /// One look into a PDF file by code that waits for its bytes: used on a thread that may wait, never on Swift's
    /// shared ones.
    final class PDFReader: Sendable {
        private let blocks: PDFBlocks
        private let waiting = TaskWait()
        private let lastFailure = LockedValue<(any Error)?>(nil)

        init(_ blocks: PDFBlocks) { self.blocks = blocks }

        /// Why reading failed, if it did.
        var failure: (any Error)? { lastFailure.value }

        /// Copies the block at `offset` into `buffer`, and waits for it.
        ///
        /// - Returns: How many bytes came; nil after a failure, which ``failure`` keeps.
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

        /// Has the blocks at `offsets` loaded at once. What goes wrong shows when they are read.
        func prefetch(_ offsets: [Int64]) {
            try? waiting.value { [blocks] in try await blocks.prefetch(offsets) }
        }

        /// Ends the read under way, even where the storage goes on with it, and every one after it; called from any
        /// thread.
        func cancel() { waiting.cancel() }
    }
#endif
