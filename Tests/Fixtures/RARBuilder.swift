public import Foundation

/// Writes RAR archives whose files are stored, because libarchive only reads them.
public enum RARBuilder {
    /// A file in the archive.
    public struct File: Sendable {
        let name: String
        let content: Data
        let isEncrypted: Bool

        /// - Parameter isEncrypted: Marks it so; the bytes stay plain. Version 4 only.
        public init(_ name: String, _ content: Data, isEncrypted: Bool = false) {
            self.name = name
            self.content = content
            self.isEncrypted = isEncrypted
        }
    }

    /// The format of versions 1.5 to 4.
    public static func version4(_ files: [File]) -> Data {
        var data = Data([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x00])
        data += header4([0x73, 0, 0, 13, 0] + [UInt8](repeating: 0, count: 6))
        for file in files {
            let name = Array(file.name.utf8)
            let length = UInt16(32 + name.count)
            var header: [UInt8] = [0x74, file.isEncrypted ? 0x04 : 0x00, 0x80] + little(length)
            header += little(UInt32(file.content.count)) + little(UInt32(file.content.count)) + [3]
            header += little(Deflate.checksum(file.content)) + little(UInt32(0x5821_6000)) + [20, 0x30]
            header += little(UInt16(name.count)) + little(UInt32(0o100644)) + name
            data += header4(header)
            data += file.content
        }
        return data + header4([0x7B, 0, 0x40, 7, 0])
    }

    private static func header4(_ bytes: [UInt8]) -> Data {
        Data(little(UInt16(truncatingIfNeeded: Deflate.checksum(Data(bytes)))) + bytes)
    }

    /// The format of version 5.
    public static func version5(_ files: [File]) -> Data {
        var data = Data([0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x01, 0x00])
        data += header5([1, 0, 0])
        for file in files {
            let name = Array(file.name.utf8)
            var header: [UInt8] =
                [2, 2] + variable(file.content.count) + [4] + variable(file.content.count) + variable(0o100644)
            header += little(Deflate.checksum(file.content)) + [0, 1] + variable(name.count) + name
            data += header5(header)
            data += file.content
        }
        return data + header5([5, 0, 0])
    }

    private static func header5(_ bytes: [UInt8]) -> Data {
        let sized = variable(bytes.count) + bytes
        return Data(little(Deflate.checksum(Data(sized))) + sized)
    }

    /// Seven bits in each byte, the lowest first; the eighth says that more follow.
    private static func variable(_ value: Int) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + variable(value >> 7)
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
