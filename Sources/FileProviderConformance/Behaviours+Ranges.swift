import FileProviderCore
import Foundation

extension Behaviour {
    private static let size: Int64 = 10_000

    /// Every kind of part, in one file of 10 000 bytes: one behaviour each.
    static let parts: [Behaviour] =
        [
            ("an empty range", .range(500..<500)), ("a range in the middle", .range(4095..<4097)),
            ("the first byte", .range(0..<1)),
            ("the last byte", .range(size - 1..<size)), ("a range across the end", .range(size - 10..<size + 10)),
            ("a range at the end", .range(size..<size + 100)),
            ("a range far past the end", .range(1 << 40..<1 << 40 + 10)),
            ("a range as long as the file", .range(0..<size)), ("the whole", .whole), ("all from 0", .from(0)),
            ("all from 1", .from(1)),
            ("all from the last byte", .from(size - 1)), ("all from its size", .from(size)),
            ("all from past its end", .from(2 * size)),
        ].map { part($0, $1, .rangedReading) }
        + [
            ("the last byte as a suffix", .suffix(1)), ("a suffix", .suffix(4097)),
            ("a suffix as long as the file", .suffix(size)),
            ("a suffix longer than the file", .suffix(size + 1)), ("an empty suffix", .suffix(0)),
        ].map { part($0, $1, .suffixReading) }

    private static func part(_ what: String, _ part: FilePart, _ ability: Capabilities.Ability) -> Behaviour {
        let needs: Requirement = part == .whole ? .ability(.writing) : .ability(ability)
        return Behaviour("Reading \(what) gives exactly that", .ability(.writing), needs) { trial in
            let all = Pattern.data(Int(size))
            let range = part.resolved(size: size)
            let path = try await trial.write("file", all)
            let sink = ProbeSink()
            let extent = try await trial.provider.withReader(path: path) { try await $0.stream(part, into: sink) }
            let expected = all[Int(range.lowerBound)..<Int(range.upperBound)]
            try sink.expectDelivery(
                of: Data(expected), extent: extent, offset: range.lowerBound, size: size, what: "Reading \(what)")
        }
    }

    /// Ranges around the ends of buffers, and in very small files.
    static let boundaries: [Behaviour] = [
        Behaviour(
            "Ranges around every place where a buffer may end are exact", .ability(.writing), .ability(.rangedReading)
        ) { trial in
            let all = Pattern.data((1 << 20) + 2)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                for location in awkwardSizes.dropFirst() {
                    for range in [location - 1..<location, location - 1..<location + 1, location..<location] {
                        let found = try await reader.read(.range(Int64(range.lowerBound)..<Int64(range.upperBound)))
                            .data
                        try expect(found == all[range], "Bytes \(range): \(difference(found, from: all[range])).")
                    }
                }
            }
        },
        Behaviour("Ranges of every awkward length are exact", .ability(.writing), .ability(.rangedReading)) { trial in
            let all = Pattern.data((1 << 20) + 8)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                for length in awkwardSizes {
                    let found = try await reader.read(.range(7..<Int64(7 + length))).data
                    let expected = all[7..<7 + length]
                    try expect(found == expected, "\(length) bytes from 7: \(difference(found, from: expected)).")
                }
            }
        },
        Behaviour("Suffixes of every awkward length are exact", .ability(.writing), .ability(.suffixReading)) { trial in
            let all = Pattern.data((1 << 20) + 1)
            let path = try await trial.write("file", all)
            try await trial.provider.withReader(path: path) { reader in
                for length in awkwardSizes {
                    let found = try await reader.read(.suffix(Int64(length))).data
                    try expect(
                        found == all.suffix(length),
                        "The last \(length) bytes: \(difference(found, from: all.suffix(length))).")
                }
            }
        },
        Behaviour("Every part of an empty file is empty", .ability(.writing), .ability(.rangedReading)) { trial in
            try await trial.tryParts(of: Data())
        },
        Behaviour(
            "Every part of a file of one byte is that byte or nothing", .ability(.writing), .ability(.rangedReading)
        ) { trial in
            try await trial.tryParts(of: Pattern.data(1))
        },
    ]
}

extension Trial {
    /// Reads every kind of part of a very small file.
    fileprivate func tryParts(of all: Data) async throws {
        let path = try await write("file", all)
        var parts: [FilePart] = [
            .whole, .from(0), .from(1), .from(2), .range(0..<0), .range(0..<1), .range(0..<2), .range(1..<5),
        ]
        if capabilities.has(.suffixReading) { parts += [.suffix(0), .suffix(1), .suffix(2), .suffix(1 << 40)] }
        for part in parts {
            let range = part.resolved(size: Int64(all.count))
            let expected = all.prefix(Int(range.upperBound)).dropFirst(Int(range.lowerBound))
            let found: Data
            do { found = try await provider.contents(path: path, part: part) } catch {
                throw Unmet(
                    "The part \(part) of \(all.count) bytes: expected \(expected.count) bytes, but it failed: \(describe(error))"
                )
            }
            try expect(
                found == expected, "The part \(part) of \(all.count) bytes: \(difference(found, from: expected)).")
        }
    }
}
