#if Formats
    @testable import FileInformation
    import FileProviderCore
    import Foundation

    /// Pictures for tests: the left half red, the right half blue, the uppermost eighth white.
    enum Picture {
        static func bitmap(_ width: Int, _ height: Int, alpha: UInt8 = 255) -> Bitmap {
            var bytes: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width {
                    bytes +=
                        y < height / 8 ? [255, 255, 255, 255] : x < width / 2 ? [255, 0, 0, alpha] : [0, 0, 255, 255]
                }
            }
            return Bitmap(width: width, height: height, bytes: bytes)
        }

        static func jpeg(_ width: Int = 80, _ height: Int = 40, exif: Data? = nil) throws -> Data {
            let plain = try JPEGCodec.encode(bitmap(width, height), path: .root)
            guard let exif else { return plain }
            return plain.prefix(2) + segment(0xE1, Data("Exif\0\0".utf8) + exif) + plain.dropFirst(2)
        }

        static func segment(_ marker: UInt8, _ content: Data) -> Data {
            Data([0xFF, marker]) + big(content.count + 2, 2) + content
        }

        static func png(_ width: Int = 80, _ height: Int = 40, alpha: UInt8 = 255, chunks: [(String, Data)] = []) throws
            -> Data
        {
            let plain = try PNGCodec.encode(bitmap(width, height, alpha: alpha), path: .root)
            // Behind IHDR. The checksum of chunks that are not needed for the picture is not looked at.
            let more = chunks.reduce(Data()) { $0 + big($1.1.count, 4) + Data($1.0.utf8) + $1.1 + Data(count: 4) }
            return plain.prefix(33) + more + plain.dropFirst(33)
        }

        /// 40 × 30, the left half red, the right half blue.
        static let lossyWebP = decoded(
            """
            UklGRnIAAABXRUJQVlA4IGYAAADQBACdASooAB4APrVKnkmnJCKhMAgA4BaJQBmJet8g+QClAVf/uAAF7zBn9qjJgAD+7L2P9aCSjHP/+uA2/7f/5ibXIzOf\
            hHKTtv75fCOUnfzLP728pP1spz9vKUT7gHl8vOUAAAA=
            """)
        /// 40 × 30, nothing on the left, blue on the right.
        static let losslessWebP = decoded("UklGRiYAAABXRUJQVlA4TBoAAAAvJ0AHEA8QMf/zHwwhAeH/Wg88kCP6H2ANAQ==")

        private static func decoded(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

        /// The lossy picture in the extended form, with EXIF data behind it.
        static func extendedWebP(exif: Data) -> Data {
            let header = Data([0x08, 0, 0, 0]) + little(39, 3) + little(29, 3)
            let parts = chunk("VP8X", header) + lossyWebP.dropFirst(12) + chunk("EXIF", exif)
            return Data("RIFF".utf8) + little(parts.count + 4, 4) + Data("WEBP".utf8) + parts
        }

        private static func chunk(_ name: String, _ content: Data) -> Data {
            Data(name.utf8) + little(content.count, 4) + content + Data(count: content.count & 1)
        }
    }

    /// EXIF data as a TIFF structure, little-endian (Exif 2.32, section 4.6).
    struct ExifBuilder {
        var orientation = 1
        var thumbnail = Data()

        private typealias Field = (tag: Int, type: Int, count: Int, bytes: Data)

        func data() -> Data {
            func first(_ exif: Int, _ gps: Int) -> [Field] {
                [
                    (0x010F, 2, 7, Data("Carrel\0".utf8)), (0x0112, 3, 1, little(orientation, 2)),
                    (0x8769, 4, 1, little(exif, 4)),
                    (0x8825, 4, 1, little(gps, 4)),
                ]
            }
            let exif: [Field] = [
                (0x829A, 5, 1, fraction(1, 250)), (0x829D, 5, 1, fraction(28, 10)),
                (0x8827, 3, 1, little(400, 2)), (0x9003, 2, 20, Data("2024:05:01 10:20:30\0".utf8)),
            ]
            let degrees = [48, 8, 15].reduce(Data()) { $0 + little($1, 4) + little(1, 4) }
            let gps: [Field] = [(1, 2, 2, Data("N\0".utf8)), (2, 5, 3, degrees)]
            let exifAt = 8 + Self.length(first(0, 0))
            let gpsAt = exifAt + Self.length(exif)
            let secondAt = gpsAt + Self.length(gps)
            func second(_ at: Int) -> [Field] {
                [
                    (0x0103, 3, 1, little(6, 2)), (0x0201, 4, 1, little(at, 4)),
                    (0x0202, 4, 1, little(thumbnail.count, 4)),
                ]
            }
            let header = Data("II*\0".utf8) + little(8, 4)
            let firstDirectory = Self.directory(first(exifAt, gpsAt), at: 8, next: thumbnail.isEmpty ? 0 : secondAt)
            let innerDirectories = Self.directory(exif, at: exifAt) + Self.directory(gps, at: gpsAt)
            let secondDirectory = Self.directory(second(secondAt + Self.length(second(0))), at: secondAt)
            return header + firstDirectory + innerDirectories + secondDirectory + thumbnail
        }

        private func fraction(_ numerator: Int, _ denominator: Int) -> Data {
            little(numerator, 4) + little(denominator, 4)
        }

        private static func length(_ fields: [Field]) -> Int { directory(fields, at: 0).count }

        private static func directory(_ fields: [Field], at offset: Int, next: Int = 0) -> Data {
            var table = little(fields.count, 2)
            var values = Data()
            for field in fields {
                table += little(field.tag, 2) + little(field.type, 2) + little(field.count, 4)
                if field.bytes.count <= 4 {
                    table += field.bytes + Data(count: 4 - field.bytes.count)
                } else {
                    table += little(offset + 2 + fields.count * 12 + 4 + values.count, 4)
                    values += field.bytes
                }
            }
            return table + little(next, 4) + values
        }
    }
#endif
