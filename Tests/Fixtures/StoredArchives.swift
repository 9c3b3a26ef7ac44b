public import Foundation

/// Writes TAR and 7z archives whose files are stored: the least that a reader has to understand.
public enum StoredArchives {
    /// POSIX's `ustar` (IEEE Std 1003.1, pax), for names of up to 100 bytes.
    public static func tar(_ files: [(name: String, content: Data)]) -> Data {
        var data = Data()
        for file in files {
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at offset: Int) {
                header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
            }
            put(file.name, at: 0)
            put("0000644", at: 100)
            put(octal(0), at: 136)
            put(octal(file.content.count), at: 124)
            // The checksum counts its own field as spaces.
            put("        ", at: 148)
            put("0", at: 156)
            put("ustar", at: 257)
            put("00", at: 263)
            put(String(octal(header.reduce(0) { $0 + Int($1) }).suffix(6)) + "\0 ", at: 148)
            data += header
            data += file.content + Data(count: (512 - file.content.count % 512) % 512)
        }
        return data + Data(count: 1_024)
    }

    /// Eleven digits.
    private static func octal(_ value: Int) -> String {
        let digits = String(value, radix: 8)
        return String(repeating: "0", count: 11 - digits.count) + digits
    }

    /// One folder with the coder “Copy” (7zFormat.txt of the LZMA SDK).
    public static func sevenZip(_ files: [(name: String, content: Data)]) -> Data {
        let content = files.reduce(Data()) { $0 + $1.content }
        // Where the packed bytes lie, and how many.
        var header: [UInt8] = [0x01, 0x04, 0x06, 0x00, 0x01, 0x09] + number(content.count) + [0x00]
        // One folder with one coder, of which one byte is the identity.
        header += [0x07, 0x0B, 0x01, 0x00, 0x01, 0x01, 0x00, 0x0C] + number(content.count) + [0x00]
        // The files in it: the length of each but the last, the checksum of each.
        header += [0x08, 0x0D] + number(files.count) + [0x09]
        for file in files.dropLast() { header += number(file.content.count) }
        header += [0x0A, 0x01]
        for file in files { header += little(Deflate.checksum(file.content)) }
        header += [0x00, 0x00]
        var names: [UInt8] = []
        for file in files {
            for unit in file.name.utf16 { names += little(unit) }
            names += [0, 0]
        }
        header += [0x05] + number(files.count) + [0x11] + number(names.count + 1) + [0x00] + names
        header += [0x00, 0x00]
        var start = little(UInt64(content.count))
        start += little(UInt64(header.count))
        start += little(Deflate.checksum(Data(header)))
        var data = Data([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0x00, 0x04])
        data += little(Deflate.checksum(Data(start)))
        return data + start + content + header
    }

    /// 7z's integers of one or three bytes, which go up to 65,535 here.
    private static func number(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [0xC0] + little(UInt16(value))
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
