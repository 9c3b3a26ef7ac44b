#if Formats
    @testable import FileInformation
    import FileProviderCore
    import Foundation
    import ProviderDoubles
    import Testing

    @Suite struct ImageTests {
        /// The colour at a place that is given in eighths of the sides.
        private func colour(_ thumbnail: Thumbnail, x: Int, y: Int) throws -> String {
            let bitmap =
                thumbnail.mediaType == "image/png"
                ? try PNGCodec.decode(thumbnail.data, path: .root)
                : try JPEGCodec.decode(thumbnail.data, dimension: 4096, path: .root)
            #expect(bitmap.width == thumbnail.width && bitmap.height == thumbnail.height)
            let offset = (bitmap.height * y / 8 * bitmap.width + bitmap.width * x / 8) * 4
            let pixel = bitmap.bytes[offset..<offset + 4].map { $0 > 200 ? 1 : $0 < 55 ? 0 : 9 }
            let names = [[1, 0, 0, 1]: "red", [0, 0, 1, 1]: "blue", [1, 1, 1, 1]: "white"]
            return pixel[3] == 0 ? "nothing" : names[pixel] ?? "\(pixel)"
        }

        @Test func `each format says how large it is`() async throws {
            let exif = ExifBuilder().data()
            let files: [(Data, String, Int64, Int64, String)] = [
                (try Picture.jpeg(), "a.jpg", 80, 40, "image/jpeg"), (try Picture.png(), "a.png", 80, 40, "image/png"),
                (Picture.lossyWebP, "a.webp", 40, 30, "image/webp"),
                (Picture.losslessWebP, "a.webp", 40, 30, "image/webp"),
                (Picture.extendedWebP(exif: exif), "a.webp", 40, 30, "image/webp"),
                // The content counts, not the name.
                (try Picture.png(), "a.jpg", 80, 40, "image/png"),
            ]
            for (data, name, width, height, type) in files {
                let properties = try await CountingReader(data, name).properties()
                #expect(properties["width"] == .integer(width) && properties["height"] == .integer(height), "\(name)")
                #expect(properties["mediaType"] == .string(type))
            }
        }

        @Test func `EXIF fields come under the standard's names, from all three formats`() async throws {
            let exif = ExifBuilder(orientation: 6).data()
            for (data, name) in [
                (try Picture.jpeg(exif: exif), "a.jpg"), (try Picture.png(chunks: [("eXIf", exif)]), "a.png"),
                (Picture.extendedWebP(exif: exif), "a.webp"),
            ] {
                let properties = try await CountingReader(data, name).properties()
                #expect(properties["Make"] == "Carrel", "\(name)")
                #expect(properties["Orientation"] == 6)
                #expect(properties["ExposureTime"] == 0.004 && properties["FNumber"] == 2.8)
                #expect(properties["DateTimeOriginal"] == "2024:05:01 10:20:30")
                #expect(properties["GPSLatitudeRef"] == "N")
                #expect(properties["GPSLatitude"] == .list([.double(48), .double(8), .double(15)]))
            }
        }

        @Test func `texts of PNG are properties`() async throws {
            let data = try Picture.png(chunks: [
                ("tEXt", Data("Title\0Lamp".utf8)), ("tEXt", Data("Author\0Ren".utf8) + [0xE9]),
            ])
            let properties = try await CountingReader(data, "a.png").properties()
            #expect(properties["title"] == "Lamp" && properties["author"] == "René")
        }

        @Test func `a thumbnail keeps the shape, and never grows`() async throws {
            for (data, name) in [(try Picture.jpeg(800, 400), "a.jpg"), (try Picture.png(800, 400), "a.png")] {
                let small = try await CountingReader(data, name).thumbnail(100)
                #expect(small.width == 100 && small.height == 50 && small.mediaType == "image/jpeg", "\(name)")
                #expect(
                    try colour(small, x: 1, y: 4) == "red" && colour(small, x: 6, y: 4) == "blue"
                        && colour(small, x: 4, y: 0) == "white")
                let same = try await CountingReader(data, name).thumbnail(4096)
                #expect(same.width == 800 && same.height == 400)
            }
            let webp = try await CountingReader(Picture.lossyWebP, "a.webp").thumbnail(20)
            #expect(webp.width == 20 && webp.height == 15)
            #expect(try colour(webp, x: 1, y: 4) == "red" && colour(webp, x: 6, y: 4) == "blue")
            let thin = try await CountingReader(try Picture.png(600, 2), "a.png").thumbnail(100)
            #expect(thin.width == 100 && thin.height == 1)
        }

        @Test func `what is transparent stays so, and makes no edge`() async throws {
            let png = try await CountingReader(try Picture.png(80, 40, alpha: 0), "a.png").thumbnail(20)
            #expect(png.mediaType == "image/png" && png.width == 20)
            #expect(
                try colour(png, x: 1, y: 4) == "nothing" && colour(png, x: 6, y: 4) == "blue"
                    && colour(png, x: 1, y: 0) == "white")
            let webp = try await CountingReader(Picture.losslessWebP, "a.webp").thumbnail(20)
            #expect(webp.mediaType == "image/png")
            #expect(try colour(webp, x: 1, y: 4) == "nothing" && colour(webp, x: 6, y: 4) == "blue")
            // Half of each new pixel is red that cannot be seen.
            let mixed = Bitmap(width: 2, height: 1, bytes: [255, 0, 0, 0, 0, 0, 255, 255]).scaledDown(to: 1)
            #expect(mixed.bytes == [0, 0, 255, 128])
        }

        /// Red is on the left and white above in the file; where are they when it is looked at? (Exif 2.32, tag 274.)
        @Test(arguments: [
            (1, "left", "top"), (2, "right", "top"), (3, "right", "bottom"), (4, "left", "bottom"), (5, "top", "left"),
            (6, "top", "right"), (7, "bottom", "right"), (8, "bottom", "left"),
        ])
        func `a picture is turned as its EXIF data say`(_ orientation: Int, _ red: String, _ white: String) async throws
        {
            let data = try Picture.jpeg(160, 80, exif: ExifBuilder(orientation: orientation).data())
            let thumbnail = try await CountingReader(data, "a.jpg").thumbnail(80)
            #expect(
                orientation < 5
                    ? (thumbnail.width, thumbnail.height) == (80, 40) : (thumbnail.width, thumbnail.height) == (40, 80))
            let locations = ["left": (1, 4), "right": (6, 4), "top": (4, 1), "bottom": (4, 6)]
            let location = try #require(locations[red])
            #expect(try colour(thumbnail, x: location.0, y: location.1) == "red")
            let edges = ["left": (0, 6), "right": (7, 6), "top": (6, 0), "bottom": (6, 7)]
            let edge = try #require(edges[white])
            #expect(try colour(thumbnail, x: edge.0, y: edge.1) == "white")
        }

        @Test func `the picture in the EXIF data serves where it is large enough and of the same shape`() async throws {
            // Green, so that it can be told from the picture around it.
            let green = Bitmap(
                width: 160, height: 80, bytes: (0..<160 * 80).flatMap { _ -> [UInt8] in [0, 255, 0, 255] })
            let exif = ExifBuilder(thumbnail: try JPEGCodec.encode(green, path: .root)).data()
            let file = try Picture.jpeg(800, 400, exif: exif)
            let padded = file + Data(count: 20 << 20)
            let reader = try CountingReader(padded, "a.jpg")
            let small = try await reader.thumbnail(100)
            #expect(small.width == 100 && small.height == 50)
            #expect(try colour(small, x: 4, y: 4) == "[0, 1, 0, 1]")
            #expect(reader.bytes <= 256 << 10 && reader.requests.count <= 2)
            let large = try await CountingReader(file, "a.jpg").thumbnail(200)
            #expect(try colour(large, x: 1, y: 4) == "red")
            let otherShape = try Picture.jpeg(400, 300, exif: exif)
            #expect(try colour(try await CountingReader(otherShape, "a.jpg").thumbnail(100), x: 1, y: 4) == "red")
            // A damaged one is passed over.
            var broken = file
            let start = try #require(file.range(of: Data([0xFF, 0xD8, 0xFF]), in: 4..<file.count))
            let tables = try #require(file.range(of: Data([0xFF, 0xC4]), in: start.upperBound..<file.count))
            broken[tables.lowerBound + 4] = 0x77
            #expect(try colour(try await CountingReader(broken, "a.jpg").thumbnail(100), x: 1, y: 4) == "red")
        }

        @Test func `EXIF data of 20 MB cost one small range`() async throws {
            let exif = ExifBuilder(thumbnail: try Picture.jpeg(160, 80)).data()
            let plain = try Picture.jpeg(800, 400, exif: exif)
            // Colour profiles in front of the pixels, and the pixels.
            let profiles = (0..<8).reduce(Data()) { data, _ in data + Picture.segment(0xE2, Data(count: 60_000)) }
            let start = 2 + 2 + 2 + 6 + exif.count
            let file = plain.prefix(start) + profiles + plain.dropFirst(start) + Data(count: 20 << 20)
            let reader = try CountingReader(Data(file), "a.jpg")
            let properties = try await reader.properties()
            #expect(properties["Make"] == "Carrel" && properties["width"] == 800)
            #expect(reader.bytes <= 256 << 10, "\(reader.bytes) bytes in \(reader.requests.count) requests")
        }

        @Test func `scaling down takes any picture in memory`() async throws {
            let thumbnail = try await Thumbnail.scaleDown(image: Picture.jpeg(160, 80), toSize: 40)
            #expect(thumbnail.width == 40 && thumbnail.height == 20)
            #expect(
                await fileError { try await Thumbnail.scaleDown(image: Data("<svg/>".utf8), toSize: 40) }
                    == .featureUnsupported)
            #expect(
                await fileError { try await Thumbnail.scaleDown(image: Data(), toSize: 40) } == .fileReadCorruptFile)
            #expect(
                await fileError { try await CountingReader(Picture.jpeg(), "a.jpg").thumbnail(40, page: 2) }
                    == .fileReadNoSuchFile)
        }
    }
#endif
