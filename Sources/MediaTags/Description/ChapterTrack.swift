public import FileProviderCore
import Foundation

/// The chapters of an MP4 or QuickTime file as samples of a text track: their titles are stored among the sound.
public struct ChapterTrack: Sendable, Hashable {
    struct Sample: Sendable, Hashable {
        /// Offsets from the start of the file.
        let range: Range<Int64>
        /// Seconds.
        let start: Double
    }

    let samples: [Sample]

    /// The number of chapters.
    public var count: Int { samples.count }

    /// Reads the titles.
    ///
    /// - Parameter reader: The file that the description was read from.
    /// - Throws: The reader's errors.
    /// - Complexity: One read of all titles, so as few requests as the reader's cost model says.
    public func chapters(from reader: any FileReader) async throws -> [MediaChapter] {
        let titles = try await reader.read(samples.map(\.range))
        return zip(samples, titles).map { sample, bytes in
            // The length in two bytes, the text, and boxes that are not needed (QuickTime File Format, text media).
            let length = bytes.big(0, 2) ?? 0
            return MediaChapter(start: sample.start, title: MediaText.guessed(bytes.dropFirst(2).prefix(Int(length))))
        }
    }

    /// Returns the number of requests for reading the titles.
    func requests(at cost: Capabilities.ReadCost) -> Int {
        if cost.roundTripsPerRange == 0 { return 0 }
        var (count, end) = (0, Int64.min)
        for range in samples.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if count == 0 || range.lowerBound - end > Int64(cost.coalescingGap) { count += 1 }
            end = max(end, range.upperBound)
        }
        return count
    }
}
