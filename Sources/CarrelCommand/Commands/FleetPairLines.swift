import Carrel
import Foundation
import SyncFleet

/// Pairs in a file with a JSON object on each line, read in batches.
final class FleetPairLines {
    /// Pairs that are added in one transaction.
    private static let batch = 1000
    /// The most bytes of a line.
    private static let maxLineLength = 1 << 18

    private let file: String
    private let verb: String
    private let handle: FileHandle
    private var bytes: [UInt8] = []
    /// The start of the next line in ``bytes``.
    private var start = 0
    private var isAtEnd = false
    private var number = 0

    /// - Parameter file: A path, or - for standard input.
    init(_ file: String, verb: String) throws {
        self.file = file
        self.verb = verb
        if file == "-" {
            handle = .standardInput
        } else if let opened = FileHandle(forReadingAtPath: file) {
            handle = opened
        } else {
            throw CommandFailure.usage("The file “\(file)” cannot be read: \(unreadable(file) ?? "it is not a file").")
        }
    }

    /// Returns the pairs of the next lines, none after the last. Empty lines are skipped.
    ///
    /// - Throws: A usage error after all mistakes of a batch were reported, with their lines.
    func next() async throws -> [FleetPair] {
        var pairs: [FleetPair] = []
        let mistakes = SettingsReader.Mistakes()
        while pairs.count < Self.batch, let line = try await line() {
            if line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { continue }
            if let pair = pair(line, mistakes) { pairs.append(pair) }
            if mistakes.sentences.count >= 20 { break }
        }
        guard let first = mistakes.sentences.first else { return pairs }
        for sentence in mistakes.sentences { Output.standardError("carrel: \(verb) \(file): \(sentence)") }
        throw CommandFailure(status: .usage, sentence: "\(file): \(first)", isSaid: true)
    }

    private func line() async throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                defer { start = end + 1 }
                return Array(bytes[start..<end])
            }
            bytes.removeSubrange(..<start)
            (start, searched) = (0, bytes.count)
            if bytes.count > Self.maxLineLength {
                throw CommandFailure.usage("Line \(number + 1) of “\(file)” has more than \(Self.maxLineLength) bytes.")
            }
            if isAtEnd {
                if bytes.isEmpty { return nil }
                number += 1
                defer { bytes = [] }
                return bytes
            }
            let handle = handle
            let piece = try await BlockingThreads.shared.run { try handle.read(upToCount: 1 << 16) }
            if let piece, !piece.isEmpty { bytes += piece } else { isAtEnd = true }
        }
    }

    private func pair(_ line: [UInt8], _ mistakes: SettingsReader.Mistakes) -> FleetPair? {
        let place = "line \(number)"
        let outer = SettingsReader([:], mistakes)
        let members: [String: JSONValue]
        do {
            let json = try JSONValue(data: Data(line), maximumSize: Self.maxLineLength)
            guard let object = json.objectValue else {
                outer.note(place, "this has to be a JSON object.")
                return nil
            }
            members = object
        } catch {
            outer.note(place, error.sentence)
            return nil
        }
        let reader = SettingsReader(members, at: place, mistakes)
        defer { reader.finish() }
        func checked(_ name: String, _ check: (String) throws -> String) -> String? {
            guard let text = reader.string(name) else { return nil }
            do { return try check(text) } catch {
                reader.note(name, error.innermost.sentence)
                return nil
            }
        }
        for name in ["name", "source", "destination"] where !reader.has(name) { reader.note(name, "this is missing.") }
        let name = reader.string("name")
        let source = checked("source", FleetPairText.location)
        let destination = checked("destination", FleetPairText.location)
        var pair = FleetPair(name: name ?? "", source: source ?? "", destination: destination ?? "")
        pair.owner = reader.string("owner") ?? pair.owner
        pair.sourceCredential = checked("sourceCredential", FleetPairText.credential)
        pair.destinationCredential = checked("destinationCredential", FleetPairText.credential)
        pair.every = reader.seconds("every", in: FleetPairText.times) ?? pair.every
        pair.deadline = reader.seconds("deadline", in: FleetPairText.times)
        pair.priority = reader.integer("priority", in: -1_000_000...1_000_000) ?? pair.priority
        if let options = reader.json("options") {
            do { pair.options = try FleetPairText.options(options) } catch {
                reader.note("options", error.sentence)
            }
        }
        return name == nil || source == nil || destination == nil ? nil : pair
    }
}
