import FileProviderCore
import Foundation

/// The kind of source that a file is written from.
private enum Origin: String, CaseIterable {
    case memory = "memory"
    case repeatable = "a source that can be read again"
    case oneShot = "a source that can be read once"
    case unknownLength = "a source of unknown length"

    /// A length of pieces that no buffer has.
    private static let piece = 9973

    func source(_ data: Data) -> any WriteSource {
        switch self {
        case .memory: DataSource(data)
        case .repeatable: ScriptedSource(data, length: Int64(data.count))
        case .oneShot: SequenceSource(pieces(of: data), length: Int64(data.count))
        case .unknownLength: SequenceSource(pieces(of: data))
        }
    }

    private func pieces(of data: Data) -> AsyncStream<Data> {
        AsyncStream { end in
            for start in stride(from: 0, to: data.count, by: Self.piece) {
                end.yield(data[start..<min(start + Self.piece, data.count)])
            }
            end.finish()
        }
    }
}

extension Behaviour {
    /// Lengths at which buffers end, in bytes.
    static let awkwardSizes: [Int] =
        [0, 1]
        + [4096, 8192, 16_384, 32_768, 65_536, 1 << 20].flatMap { (end: Int) -> [Int] in [end - 1, end, end + 1] }

    /// Files of awkward lengths, from every kind of source: one behaviour each.
    static let sizes: [Behaviour] = Origin.allCases.flatMap { origin in
        awkwardSizes.map { size in
            origin == .unknownLength
                ? Behaviour(name(size, origin), .ability(.writing), .ability(.streamedWriting)) {
                    try await $0.tryFile(size, from: origin)
                }
                : Behaviour(name(size, origin), .ability(.writing)) { try await $0.tryFile(size, from: origin) }
        }
    }

    private static func name(_ size: Int, _ origin: Origin) -> String {
        "A file of \(size) bytes from \(origin.rawValue) comes back byte for byte"
    }
}

extension Trial {
    fileprivate func tryFile(_ size: Int, from origin: Origin) async throws {
        if let maxSize = capabilities.largestFile, maxSize < size {
            throw SkippedBehaviour(reason: "needs files of \(size) bytes")
        }
        let data = Pattern.data(size)
        let path = try at("file")
        let written = try await provider.writeContents(path: path, from: origin.source(data), options: WriteOptions())
        for (size, what) in [
            (written.size, "returned size"),
            (try await provider.attributesOfItem(path: path).size, "size among the attributes"),
        ] {
            try expect(
                size == Int64(data.count),
                "Expected the \(what) \(data.count), but it is \(size.map(String.init) ?? "nil").")
        }
        try await expectBytes(data, at: path, when: "A file of \(size) bytes")
    }
}
