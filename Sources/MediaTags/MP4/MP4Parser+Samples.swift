import FileProviderCore
import Foundation

extension MP4Parser {
    /// Returns the positions and times of a track's samples, from its sample table (ISO/IEC 14496-12, sections 8.6 and
    /// 8.7).
    ///
    /// - Parameters:
    ///   - table: The content of a box `stbl`.
    ///   - scale: Units in a second.
    ///   - delay: Seconds before the track begins.
    /// - Throws: ``MediaFault`` if the table is malformed, or has more samples than a table of contents may have
    ///   chapters.
    mutating func readSamples(of table: Range<Int64>, scale: Int64, delay: Double) async throws -> [ChapterTrack.Sample]
    {
        var samples = SampleTable()
        var position = table.lowerBound
        while let box = try await box(at: position, before: table.upperBound) {
            position = box.content.upperBound
            guard SampleTable.boxes.contains(box.type) else { continue }
            guard box.content.count <= SampleTable.maxBoxSize else { throw MediaFault.limit }
            samples.take(box.type, try await window.bytes(box.content))
        }
        return samples.samples(scale: scale, delay: delay)
    }
}

/// The sample table of a track with few samples.
private struct SampleTable {
    static let boxes: Set<String> = ["stts", "stsc", "stsz", "stco", "co64"]
    /// Room for the allowed number of entries of 12 bytes, and the fields before them.
    static let maxBoxSize = 12 * MediaDescription.maxChapters + 16
    /// The most bytes of a sample that are read: a title with its length.
    private static let maxSampleLength: Int64 = 1_024

    private var durations: [(count: Int64, duration: Int64)] = []
    private var runs: [(firstChunk: Int64, samples: Int64)] = []
    private var sizes: [Int64] = []
    private var chunks: [Int64] = []

    /// Reads the content of one of ``boxes``.
    mutating func take(_ type: String, _ bytes: ArraySlice<UInt8>) {
        func entries(_ length: Int, from offset: Int = 8) -> [ArraySlice<UInt8>] {
            let count = min(bytes.big(offset - 4, 4) ?? 0, Int64(MediaDescription.maxChapters))
            return (0..<Int(count)).map { bytes.dropFirst(offset + $0 * length).prefix(length) }.filter {
                $0.count == length
            }
        }
        switch type {
        case "stts": durations = entries(8).map { ($0.big(0, 4) ?? 0, $0.big(4, 4) ?? 0) }
        case "stsc": runs = entries(12).map { ($0.big(0, 4) ?? 0, $0.big(4, 4) ?? 0) }
        case "stco": chunks = entries(4).compactMap { $0.big(0, 4) }
        case "co64": chunks = entries(8).compactMap { $0.big(0, 8) }
        default:
            let size = bytes.big(4, 4) ?? 0
            let count = min(bytes.big(8, 4) ?? 0, Int64(MediaDescription.maxChapters))
            sizes =
                size > 0 ? Array(repeating: size, count: Int(count)) : entries(4, from: 12).compactMap { $0.big(0, 4) }
        }
    }

    func samples(scale: Int64, delay: Double) -> [ChapterTrack.Sample] {
        guard scale > 0 else { return [] }
        let starts = starts(scale: scale).map { $0 + delay }
        var samples: [ChapterTrack.Sample] = []
        var run = 0
        for (index, chunk) in chunks.enumerated() {
            while run + 1 < runs.count, runs[run + 1].firstChunk <= Int64(index) + 1 { run += 1 }
            guard runs.indices.contains(run) else { break }
            var offset = chunk
            for _ in 0..<min(runs[run].samples, Int64(sizes.count - samples.count)) {
                let size = sizes[samples.count]
                let (end, overflow) = offset.addingReportingOverflow(size)
                guard !overflow, samples.count < starts.count else { return samples }
                samples.append(
                    ChapterTrack.Sample(
                        range: offset..<offset + min(size, Self.maxSampleLength), start: starts[samples.count]))
                offset = end
            }
        }
        return samples
    }

    private func starts(scale: Int64) -> [Double] {
        var starts: [Double] = []
        var time: Int64 = 0
        for (count, duration) in durations {
            for _ in 0..<min(count, Int64(sizes.count - starts.count)) {
                starts.append(Double(time) / Double(scale))
                time += duration
            }
        }
        return starts
    }
}
