import FileProviderCore
import Foundation
import MediaTags
import MediaTypes

/// A sound file of an audiobook, with its tags.
struct AudioTrack: Sendable {
    let file: ListedFile
    var description = MediaDescription()

    /// Returns the link to the file: with a duration and, if the book has several tracks, with a title.
    func link(isOnly: Bool) -> Link {
        var link = AudioFiles.link(file)
        link.duration = description.duration
        if !isOnly { link.title = description.first("TITLE") }
        return link
    }

    /// Links to its chapters with a media fragment (Media Fragments URI 1.0, section 4.2.1); without chapters, a link
    /// to the whole track.
    var contents: [Link] {
        if description.chapters.isEmpty {
            return [Link(href: file.link.href, title: description.first("TITLE") ?? file.title)]
        }
        return Self.links(description.chapters, of: file.link.href)
    }

    private static func links(_ chapters: [MediaChapter], of href: String) -> [Link] {
        chapters.enumerated().map { index, chapter in
            Link(
                href: "\(href)#t=\(seconds(chapter.start))", title: chapter.title ?? "\(index + 1)",
                children: links(chapter.children, of: href))
        }
    }

    /// Formats seconds with at most three decimals and no trailing zeros.
    private static func seconds(_ start: Double) -> String {
        let milliseconds = Int64((start * 1_000).rounded())
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        if rest == 0 { return "\(whole)" }
        var decimals = "\(1_000 + rest)".dropFirst()
        while decimals.last == "0" { decimals = decimals.dropLast() }
        return "\(whole).\(decimals)"
    }
}
