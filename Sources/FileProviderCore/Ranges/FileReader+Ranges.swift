extension FileReader {
    /// Streams as ``stream(_:into:)`` does, and a large file in several ranges at once if its reader allows that
    /// (``FileReaderAttributes/concurrentRanges``) and it is faster.
    ///
    /// The sink gets the bytes in order.
    ///
    /// - Parameter listedSize: Bytes of the file as far as the caller knows; nil if unknown.
    /// - Complexity: One stream unless more are faster; beside it, at most 32 MiB of the file are held.
    package func streamInRanges(
        _ part: FilePart, into sink: any ByteSink, listedSize: Int64? = nil, limits: RangePace.Limits = .standard
    ) async throws -> FileExtent {
        switch part {
        case .whole, .from: break
        case .range, .suffix: return try await stream(part, into: sink)
        }
        if cost.roundTripsToOpen == 0 || listedSize ?? .max < limits.minFileSize {
            return try await stream(part, into: sink)
        }
        return try await RangedTransfer(self, into: sink, limits: limits).run(part)
    }
}
