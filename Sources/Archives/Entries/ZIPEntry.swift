import FileProviderCore
import Foundation

/// One entry of a ZIP archive as the directory describes it (APPNOTE.TXT, section 4.3.12). Local headers are not
/// trusted.
public struct ZIPEntry: Hashable, Sendable {
    /// The path: names separated by `/`, relative to the archive's root; never absolute, without `.` and `..`. A
    /// folder's path ends with `/`.
    public internal(set) var path: String
    /// The bytes of a name whose encoding is not declared; nil for other names.
    package let undecidedName: [UInt8]?
    /// The packed size in bytes.
    public let compressedSize: Int64
    /// The unpacked size that the directory claims, in bytes: a hint and an upper bound, never a size to allocate.
    public let uncompressedSize: Int64
    /// CRC-32 of the unpacked bytes.
    public let checksum: UInt32
    /// The compression method (APPNOTE.TXT, section 4.4.5): 0 stored, 8 deflated; others cannot be read here.
    public let method: UInt16
    /// Whether a password is needed (APPNOTE.TXT, section 4.4.4, bit 0).
    public let isEncrypted: Bool
    /// The entry's place in ``ZIPDirectory/entries``.
    public internal(set) var index: Int

    /// The fault of the record, if any; reported on access.
    var defect: Defect?
    /// The offset of the local header in the file.
    package let headerOffset: Int64
    /// The length of the local header if its fields are as long as the directory's. Its extra field may have another
    /// length.
    let expectedHeaderLength: Int64
    /// The offset of the next local header, or the directory: this entry ends there at the latest.
    var dataLimit: Int64

    enum Defect: Hashable, Sendable {
        /// It claims bytes that belong to another entry or to the directory.
        case overlapping
        /// A number is impossible, or a field is cut off.
        case malformed
        /// It starts on another disk of a split archive.
        case elsewhere
    }

    /// Whether this entry is a folder.
    public var isDirectory: Bool { path.utf8.last == UInt8(ascii: "/") }

    /// Whether the bytes in the archive differ from those of the resource.
    public var isCompressed: Bool { method != 0 }

    /// The part of the last name after its last dot, as written; nil if there is no dot or the name starts with it.
    public var fileExtension: String? {
        let name = path[
            (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex)...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let rest = name[name.utf8.index(after: dot)...]
        return rest.isEmpty ? nil : String(rest)
    }

    /// Throws if the directory shows that the entry cannot be read.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadNoPermission` for an encrypted entry,
    ///   `.featureUnsupported` for another compression method, `.fileReadTooLarge` over one of `limits`.
    func checkReadable(_ limits: ArchiveLimits) throws {
        switch defect {
        case .overlapping: throw damaged("it claims bytes that belong to other parts of the archive")
        case .malformed: throw damaged("its sizes or its offset are impossible")
        case .elsewhere: throw damaged("it is on another disk of a split archive")
        case nil: break
        }
        if isEncrypted {
            throw FileError.make(.fileReadNoPermission, path: path, sentence: "“\(path)” is encrypted with a password.")
        }
        switch method {
        case 0:
            if compressedSize != uncompressedSize {
                throw damaged("it is stored, but its packed and unpacked sizes differ")
            }
        case 8: try checkSize(limits)
        default:
            throw FileError.make(
                .featureUnsupported, path: path,
                sentence: "“\(path)” is packed with ZIP method \(method); only stored and deflated entries can be read."
            )
        }
    }

    private func checkSize(_ limits: ArchiveLimits) throws {
        if uncompressedSize > limits.maxEntrySize {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence:
                    "“\(path)” would become \(uncompressedSize) bytes; at most \(limits.maxEntrySize) are unpacked.")
        }
        let (maxSize, overflow) = compressedSize.multipliedReportingOverflow(by: limits.maxRatio)
        if uncompressedSize > limits.ratioFloor, !overflow, uncompressedSize > maxSize {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence:
                    "“\(path)” would become more than \(limits.maxRatio) times as large as it is, which is the limit."
            )
        }
    }

    /// Returns the error for an entry whose bytes are damaged.
    func damaged(_ why: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” in the archive is damaged: \(why).")
    }
}
