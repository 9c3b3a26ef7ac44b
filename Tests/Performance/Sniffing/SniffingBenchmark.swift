import FileProviderCore
import Foundation
import LocalFileProvider
import Publication
import SampleBooks

/// Tells what 10,000 mixed files of a folder are, one after the other and eight at once, and prints files per second.
///
///     sniffing-benchmark [FILES]
///
/// Every other file has a name that tells; then the same again with looks inside all of them.
@main
struct SniffingBenchmark {
    static func main() async throws {
        let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 10_000
        let root = FileManager.default.temporaryDirectory.appending(path: "sniffing-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let kinds = try samples()
        for index in 0..<count {
            let (fileExtension, data) = kinds[index % kinds.count]
            let name = "file \(index)" + ((index / kinds.count).isMultiple(of: 2) ? "." + fileExtension : "")
            try data.write(to: root.appending(path: name))
        }
        let provider = try LocalFileProvider(root: root)
        let paths = try await provider.contentsOfDirectory(path: .root).map(\.path)
        // Once beforehand, so that neither the disk nor the first use of anything is measured.
        _ = try await sniff(paths, of: provider, ignoringHints: true, atOnce: 8)
        for (title, ignoringHints) in [("by name or content", false), ("by content", true)] {
            for atOnce in [1, 8] {
                let clock = ContinuousClock()
                let start = clock.now
                let found = try await sniff(paths, of: provider, ignoringHints: ignoringHints, atOnce: atOnce)
                let seconds = (clock.now - start) / .seconds(1)
                print(
                    "\(title), \(atOnce) at once: \(Int(Double(count) / seconds)) files per second, \(found) of \(count) known"
                )
            }
        }
    }

    private static func sniff(
        _ paths: [ProviderPath], of provider: LocalFileProvider, ignoringHints: Bool, atOnce: Int
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            var rest = paths[...]
            var found = 0
            func startNext() {
                guard let path = rest.popFirst() else { return }
                group.addTask {
                    try await MediaType.sniff(path: path, of: provider, ignoringHints: ignoringHints) != nil
                }
            }
            for _ in 0..<atOnce { startNext() }
            while let isKnown = try await group.next() {
                if isKnown { found += 1 }
                startNext()
            }
            return found
        }
    }

    /// Of each kind one, with the extension that it may have.
    private static func samples() throws -> [(String, Data)] {
        var noise = SeededNumbers(seed: 1)
        let comic = try ZIPBuilder.data { zip in
            for page in 1...30 { try zip.store("\(page).jpg", noise.bytes(5_000)) }
        }
        let package = try ZIPBuilder.data { zip in
            try zip.deflate(
                "manifest.json", #"{"metadata":{"title":"x"},"readingOrder":[{"href":"1.html","type":"text/html"}]}"#)
            try zip.deflate("1.html", String(repeating: "<p>text</p>", count: 2_000))
        }
        let manifest =
            #"{"metadata":{"title":"x","@type":"http://schema.org/Audiobook"},"readingOrder":[{"href":"1.mp3","type":"audio/mpeg"}]}"#
        return [
            ("epub", try SampleBook.small()), ("cbz", comic), ("webpub", package),
            ("pdf", Data("%PDF-1.7\n".utf8) + noise.bytes(150_000)),
            ("jpg", Data([0xFF, 0xD8, 0xFF, 0xE0]) + noise.bytes(90_000)),
            ("mp3", Data("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{10}".utf8) + noise.bytes(200_000)),
            ("json", Data(manifest.utf8)),
            ("html", Data(("<!DOCTYPE html>" + String(repeating: "<p>text", count: 900)).utf8)),
            ("xml", Data("<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>".utf8)),
            ("txt", Data(String(repeating: "Once upon a time. ", count: 500).utf8)), ("dat", noise.bytes(300_000)),
        ]
    }
}
