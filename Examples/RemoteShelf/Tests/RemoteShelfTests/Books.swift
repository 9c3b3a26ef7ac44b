import Foundation

/// Tiny books, made here.
enum Books {
    /// An EPUB with one chapter.
    static func epub(_ title: String) -> Data {
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>\
            <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:x:1</dc:identifier>\
            <dc:title>\(title)</dc:title><dc:creator>Jane Austen</dc:creator><dc:language>en</dc:language></metadata>\
            <manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>\
            <spine><itemref idref="c"/></spine></package>
            """
        return zip([
            ("mimetype", Data("application/epub+zip".utf8)), ("META-INF/container.xml", Data(container.utf8)),
            ("c.xhtml", Data("<html xmlns=\"http://www.w3.org/1999/xhtml\"/>".utf8)),
            ("book.opf", Data(package.utf8)),
        ])
    }

    /// A ZIP archive of stored entries (APPNOTE.TXT 6.3.10).
    private static func zip(_ files: [(name: String, content: Data)]) -> Data {
        func bytes(_ values: [(value: Int, count: Int)]) -> Data {
            Data(
                values.flatMap { field in (0..<field.count).map { UInt8(truncatingIfNeeded: field.value >> (8 * $0)) } }
            )
        }
        var (body, directory) = (Data(), Data())
        for file in files {
            let (size, name) = (file.content.count, Data(file.name.utf8))
            // Version, flags, method, time, date, checksum, sizes, lengths of name and extra field.
            let common = bytes([
                (20, 2), (0, 2), (0, 2), (0, 2), (33, 2), (checksum(file.content), 4), (size, 4), (size, 4),
                (name.count, 2), (0, 2),
            ])
            directory +=
                bytes([(0x0201_4B50, 4), (20, 2)]) + common + bytes([(0, 2), (0, 2), (0, 2), (0, 4), (body.count, 4)])
                + name
            body += bytes([(0x0403_4B50, 4)]) + common + name + file.content
        }
        let count = files.count
        return body + directory
            + bytes([
                (0x0605_4B50, 4), (0, 2), (0, 2), (count, 2), (count, 2), (directory.count, 4), (body.count, 4), (0, 2),
            ])
    }

    private static let checksums: [UInt32] = (0..<256).map { first in
        (0..<8).reduce(UInt32(first)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    /// CRC-32.
    private static func checksum(_ data: Data) -> Int {
        Int(~data.reduce(~UInt32(0)) { sum, byte in sum >> 8 ^ checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] })
    }
}
