extension FileReader {
    /// As ``stream(_:into:)``, of a large file in several ranges at once where its reader allows that
    /// (``FileReaderAttributes/concurrentRanges``) and it is faster.
    ///
    /// The sink gets the bytes in order.
    ///
    /// - Parameter listedSize: Bytes of the file as far as its caller knows; nil where it does not.
    /// - Complexity: One stream as long as more are not faster; beside it, 32 MiB of the file are held at most.
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
