#if Formats
    @testable import FileInformation
    import FileProviderCore
    import Foundation
    import MediaTags
    import ProviderDoubles
    import SampleBooks
    import Testing

    private typealias Sound = SampleSound

    /// What TagLib reads of a file, and what audiobooks get by `MediaTags`.
    @Suite struct AudioDifferenceTests {
        struct Sample: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let name: String
            let data: Data
            /// Whether a file of this kind says who made the album.
            var hasAlbumArtist = true
        }

        /// The names of a text in one version of ID3 each.
        private struct Field {
            let old: String
            let new: String
            let value: String
        }

        private static let latin = [
            Field(old: "TT2", new: "TIT2", value: "Größe"), Field(old: "TP1", new: "TPE1", value: "Ann Author"),
            Field(old: "TAL", new: "TALB", value: "Été à Nîmes"), Field(old: "TP2", new: "TPE2", value: "Bob / Carl"),
            Field(old: "TYE", new: "TYER", value: "2024"), Field(old: "TRK", new: "TRCK", value: "3/12"),
            Field(old: "TPA", new: "TPOS", value: "1/2"),
        ]
        private static let wide = [
            Field(old: "TT2", new: "TIT2", value: "Глава 第一話 😀"), Field(old: "TP1", new: "TPE1", value: "Ann Ж"),
        ]

        /// A text as a frame has it: 0 for Latin-1, 1 for UTF-16 with a mark, 2 for UTF-16 without one, 3 for UTF-8.
        private static func text(_ value: String, _ encoding: UInt8, isLittle: Bool = true) -> Data {
            let units = value.utf16.reduce(into: Data()) { data, unit in
                let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                data += encoding == 1 && isLittle ? bytes.reversed() : bytes
            }
            switch encoding {
            case 0: return Data([0]) + Data(value.unicodeScalars.map { UInt8($0.value) })
            case 1: return Data(isLittle ? [1, 0xFF, 0xFE] : [1, 0xFE, 0xFF]) + units
            case 2: return Data([2]) + units
            default: return Data([3]) + Data(value.utf8)
            }
        }

        private static func frames(_ version: Int, _ encoding: UInt8, isLittle: Bool = true) -> Data {
            let fields = encoding == 0 ? latin : wide + latin.dropFirst(wide.count)
            return fields.reduce(into: Data()) { data, field in
                let id = version == 2 ? field.old : version == 4 && field.new == "TYER" ? "TDRC" : field.new
                data += Sound.frame(id, text(field.value, encoding, isLittle: isLittle), version: version)
            }
        }

        private static let tagged: [Sample] = {
            let names = ["Latin-1", "UTF-16", "UTF-16BE", "UTF-8"]
            let forms: [(version: Int, encoding: Int, isLittle: Bool)] = [
                (2, 0, true), (2, 1, true), (2, 1, false), (3, 0, true), (3, 1, true), (3, 1, false), (4, 0, true),
                (4, 1, true),
                (4, 1, false), (4, 2, true), (4, 3, true),
            ]
            return forms.map { form in
                let content = frames(form.version, UInt8(form.encoding), isLittle: form.isLittle)
                let tag = Sound.id3(content, version: form.version)
                let order = form.isLittle ? "" : ", big-endian"
                return Sample(
                    testDescription: "ID3v2.\(form.version), \(names[form.encoding])\(order)", name: "a.mp3",
                    data: Sound.mp3(tag, frames: 400))
            }
        }()

        /// A tag of ID3v1.
        private static let oldest: Data = {
            func field(_ text: String, _ length: Int) -> Data {
                let bytes = Data(text.unicodeScalars.map { UInt8($0.value) })
                return bytes + Data(count: length - bytes.count)
            }
            return Sound.joined(
                Sound.text("TAG"), field("Größe", 30), field("Ann Author  ", 30), field("Desk", 30), field("1999", 4),
                field("", 29),
                Data([7, 255]))
        }()

        private static let odd: [Sample] = {
            let usual = frames(3, 0)
            let wide = frames(3, 1)
            // Zeros behind FF, so that nothing looks like sound.
            let safe = wide.reduce(into: Data()) { $0 += $1 == 0xFF ? [0xFF, 0] : [$1] }
            let extended = Sound.joined(Sound.synchsafe(6), Data([1, 0]))
            let both = Sound.joined(
                Data([1, 0xFF, 0xFE]), text("Änn", 1).dropFirst(3), Sound.zeros(2), text("Bob", 1).dropFirst(3))
            let two = frames(4, 3) + Sound.frame("TCOM", both, version: 4)
            var named = Sound.mp3(Sound.id3(usual), frames: 400)
            let header = Sound.id3(usual).count + 4 + 32
            let xing = Sound.joined(Sound.text("Xing"), Sound.big(3, 4), Sound.big(3_000, 4), Sound.big(400 * 417, 4))
            named.replaceSubrange(header..<header + xing.count, with: xing)
            return [
                Sample(
                    testDescription: "ID3v1", name: "a.mp3", data: Sound.mp3(frames: 400) + oldest,
                    hasAlbumArtist: false),
                Sample(
                    testDescription: "ID3v1 and ID3v2", name: "a.mp3",
                    data: Sound.mp3(Sound.id3(usual), frames: 400) + oldest),
                Sample(
                    testDescription: "unsynchronised", name: "a.mp3",
                    data: Sound.mp3(Sound.id3(safe, flags: 0x80), frames: 400)),
                Sample(
                    testDescription: "an extended header", name: "a.mp3",
                    data: Sound.mp3(
                        Sound.id3(extended, frames(4, 3), Sound.zeros(20), version: 4, flags: 0x40), frames: 400)),
                Sample(
                    testDescription: "padding", name: "a.mp3",
                    data: Sound.mp3(Sound.id3(usual, Sound.zeros(2_000)), frames: 400)),
                Sample(
                    testDescription: "several values", name: "a.mp3",
                    data: Sound.mp3(Sound.id3(two, version: 4), frames: 400)),
                Sample(
                    testDescription: "a year and a day", name: "a.mp3",
                    data: Sound.mp3(Sound.id3(usual, Sound.frame("TDAT", text("0105", 0))), frames: 400)),
                Sample(testDescription: "a number of frames", name: "a.mp3", data: named),
                Sample(testDescription: "22.05 kHz", name: "a.mp3", data: Sound.id3(usual) + slow),
            ]
        }()

        /// MPEG 2, layer III, 64 kbit/s, 22.05 kHz, mono: 208 bytes for 576 samples.
        private static let slow = (0..<400).reduce(into: Data()) { data, _ in
            data += Sound.joined(Data([0xFF, 0xF3, 0x80, 0xC0]), Sound.zeros(204))
        }

        private static let comments = [
            "TITLE=Größe 第一話", "artist=Ann Author", "ARTIST=Bob", "ALBUM=Desk", "ALBUMARTIST=Carl", "DATE=2024-05-01",
            "TRACKNUMBER=3",
            "TRACKTOTAL=12", "DISCNUMBER=1/2",
        ]

        private static let others: [Sample] = {
            var book = Sound.MP4()
            book.items = [
                ("©nam", "Größe 第一話"), ("©ART", "Ann Author"), ("aART", "Carl"), ("©alb", "Desk"),
                ("©day", "2024-05-01T10:00:00Z"),
            ]
            var last = book
            (last.isMovieLast, last.chapters) = (true, .track(gap: 0))
            let flac = Sound.flac(comments)
            return [
                Sample(testDescription: "M4B", name: "a.m4b", data: book.bytes.data),
                Sample(testDescription: "M4B, described at the end", name: "a.m4b", data: last.bytes.data),
                Sample(testDescription: "M4A", name: "a.m4a", data: Audio.m4a(), hasAlbumArtist: false),
                Sample(testDescription: "FLAC", name: "a.flac", data: flac),
                Sample(
                    testDescription: "FLAC behind a tag", name: "a.flac",
                    data: Sound.id3(Sound.frame("TIT2", text("Another", 0)), Sound.frame("TPE1", text("Somebody", 0)))
                        + flac),
                Sample(testDescription: "Ogg Vorbis", name: "a.ogg", data: Sound.vorbis(comments)),
                Sample(testDescription: "Opus", name: "a.opus", data: Sound.opus(comments)),
            ]
        }()

        private static let keys = [
            "title", "artist", "album", "albumArtist", "composer", "year", "date", "trackNumber", "trackCount",
            "discNumber", "discCount",
        ]

        @Test(arguments: tagged + odd + others) func `tags and lengths are those of TagLib`(_ sample: Sample)
            async throws
        {
            let theirs = try await CountingReader(sample.data, sample.name).properties()
            let found = try await MediaDescription.read(CountingReader(sample.data, sample.name))
            let ours = AudioTags(found).properties
            for key in Self.keys { #expect(ours[key] == theirs[key], "\(key)") }
            for key in ["title", "artist", "album", "year"] + (sample.hasAlbumArtist ? ["albumArtist"] : []) {
                #expect(theirs[key] != nil, "\(key)")
            }
            guard case .double(let length) = theirs["duration"] else { Issue.record("TagLib tells no length"); return }
            let duration = try #require(found.duration)
            #expect(abs(duration - length) <= 0.1, "\(duration) and \(length) seconds")
        }
    }
#endif
