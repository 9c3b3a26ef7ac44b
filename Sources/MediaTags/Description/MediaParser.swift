/// Collects what one file says, as far as it can be read.
protocol MediaParser {
    var description: MediaDescription { get }

    /// - Throws: ``MediaFault`` where the file makes no sense; errors of the reader.
    mutating func parse() async throws

    /// Draws conclusions from what was found, also after a fault.
    ///
    /// - Throws: Errors of the reader.
    mutating func finish() async throws
}

extension MediaParser {
    mutating func finish() async throws {}
}

/// Why a file is not read any further.
enum MediaFault: Error {
    /// It ends before what it says, or may not be read that far.
    case end
    /// It makes no sense.
    case malformed
    /// It would take too many reads.
    case limit
}

extension MediaDescription {
    static func run(_ parser: some MediaParser) async throws -> MediaDescription {
        var parser = parser
        do { try await parser.parse() } catch is MediaFault {
            // What was found before is kept.
        }
        try await parser.finish()
        return parser.description
    }
}
