import ArgumentParser
import Carrel
import Foundation

struct Cat: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Write a file's bytes to standard output.")

    @Option(help: ArgumentHelp("Start at this byte.", valueName: "n"))
    var offset: Int64?
    @Option(help: ArgumentHelp("Print at most this many bytes.", valueName: "n"))
    var length: Int64?
    @Option(help: ArgumentHelp("Print the last bytes, this many.", valueName: "n"))
    var tail: Int64?
    @Argument(help: "A file.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func validate() throws {
        if tail != nil, offset != nil || length != nil {
            throw ValidationError("--tail cannot be combined with --offset or --length.")
        }
        if [offset, length, tail].contains(where: { ($0 ?? 0) < 0 }) {
            throw ValidationError("A number of bytes cannot be negative.")
        }
    }

    private var part: FilePart {
        if let tail { return .suffix(tail) }
        let start = offset ?? 0
        guard let length else { return start == 0 ? .whole : .from(start) }
        return .range(start..<(start.addingReportingOverflow(length).overflow ? .max : start + length))
    }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        try await operand.provider.withReader(path: operand.path) { reader in
            try await StandardOutput.write(PumpedBytes { _ = try await reader.streamInRanges(part, into: $0) })
            try await operand.provider.checkArrival(of: reader)
        }
    }
}

/// Writes bytes to standard output on a separate thread, because the reader of a pipe may be slow.
enum StandardOutput {
    private static let thread = BlockingThreads(count: 1, name: "carrel.stdout")

    static func write<Pieces: AsyncSequence>(_ pieces: Pieces) async throws where Pieces.Element == Data {
        for try await piece in pieces { try await write(piece) }
    }

    static func write(_ data: Data) async throws {
        try await thread.run { try data.withUnsafeBytes { try Output.write($0) } }
    }
}
