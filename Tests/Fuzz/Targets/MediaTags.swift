import FileProviderCore
import Foundation
import MediaTags

/// A sound file, from nearby, from afar, and where its end may not be read; the same bytes as a cue sheet.
func fuzzMediaTags(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    wait {
        let near = FuzzReader(bytes, cost: .local)
        var found = try await MediaDescription.read(near)
        let far = FuzzReader(bytes)
        let other = try await MediaDescription.read(far)
        precondition(
            found.tags == other.tags && found.duration == other.duration, "The way to the file changes what it says.")
        if let track = other.chapterTrack {
            let chapters = try await track.chapters(from: far)
            precondition(chapters == found.chapters, "Titles that are read later are other ones.")
        }
        checkDescription(found, size: bytes.count)
        found = try await MediaDescription.read(near, reach: Int64(bytes.count / 2))
        checkDescription(found, size: bytes.count)
        checkChapters(CueSheet(data: bytes).files.flatMap(\.chapters))
    }
    return 0
}

private func checkDescription(_ found: MediaDescription, size: Int) {
    precondition(found.duration.map { $0 > 0 && $0.isFinite } ?? true, "No file is that long.")
    checkChapters(found.chapters)
    for picture in found.pictures {
        if case .range(let range) = picture.content {
            precondition(range.lowerBound >= 0 && !range.isEmpty, "A picture lies nowhere.")
        }
    }
    precondition(found.tags.values.joined().allSatisfy { !$0.isEmpty }, "A tag says nothing.")
}

private func checkChapters(_ chapters: [MediaChapter]) {
    for chapter in chapters {
        precondition(
            (0...1_000_000_000).contains(chapter.start) && chapter.title?.isEmpty != true, "A chapter makes no sense.")
        checkChapters(chapter.children)
    }
}
