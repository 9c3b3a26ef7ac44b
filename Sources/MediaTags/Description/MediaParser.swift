/// Reads the description of one file as far as possible.
protocol MediaParser {
    var description: MediaDescription { get }

    /// - Throws: ``MediaFault`` if the file is malformed; errors of the reader.
    mutating func parse() async throws

    /// Completes the description from what was found, even after a fault.
    ///
    /// - Throws: Errors of the reader.
    mutating func finish() async throws
}

extension MediaParser {
    mutating func finish() async throws {}
}

/// The reason why the rest of a file is not read.
enum MediaFault: Error {
    /// The file ends too early, or may not be read that far.
    case end
    /// The file is malformed.
    case malformed
    /// It would take too many reads.
    case limit
}

extension MediaDescription {
    static func run(_ parser: some MediaParser) async throws -> MediaDescription {
        var parser = parser
        do { try await parser.parse() } catch is MediaFault {
            // Keeps what was found before.
        }
        try await parser.finish()
        return parser.description
    }
}
