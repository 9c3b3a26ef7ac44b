import FileProviderCore
import Foundation

/// One entry of a ZIP archive as the directory describes it (APPNOTE.TXT, section 4.3.12). Local headers are not
/// believed.
public struct ZIPEntry: Hashable, Sendable {
    /// Names separated by `/`, relative to the archive's root; never absolute, without `.` and `..`. A folder's ends
    /// with `/`.
    public internal(set) var path: String
    /// The bytes of the name where nothing says what encoding they are in; nil for the others.
    package let undecidedName: [UInt8]?
    /// Bytes in the archive.
    public let compressedSize: Int64
    /// Bytes unpacked, as the directory claims: a hint and an upper bound, never a size to allocate.
    public let uncompressedSize: Int64
    /// CRC-32 of the unpacked bytes.
    public let checksum: UInt32
    /// How the bytes are packed (APPNOTE.TXT, section 4.4.5): 0 stored, 8 deflated; others cannot be read here.
    public let method: UInt16
    /// Whether a password is needed (APPNOTE.TXT, section 4.4.4, bit 0).
    public let isEncrypted: Bool
    /// The entry's place in ``ZIPDirectory/entries``.
    public internal(set) var index: Int

    /// What is wrong with the record, if anything; told on access.
    var defect: Defect?
    /// Where the local header starts, in the file.
    package let headerOffset: Int64
    /// What the local header takes if its fields are as long as the directory's. The extra field may be of another
    /// length there.
    let expectedHeaderLength: Int64
    /// Where the next local header, or the directory, starts: nothing of this entry lies at or after it.
    var dataLimit: Int64

    enum Defect: Hashable, Sendable {
        /// It claims bytes that belong to another entry or to the directory.
        case overlapping
        /// A number that cannot be, or a field that is cut off.
        case malformed
        /// It starts on another disk of a split archive.
        case elsewhere
    }

    /// Whether this entry stands for a folder.
    public var isDirectory: Bool { path.utf8.last == UInt8(ascii: "/") }

    /// Whether the bytes in the archive differ from those of the resource.
    public var isCompressed: Bool { method != 0 }

    /// The part of the last name after its last dot, as written; nil where there is none or the name starts with it.
    public var fileExtension: String? {
        let name = path[
            (path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex)...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let rest = name[name.utf8.index(after: dot)...]
        return rest.isEmpty ? nil : String(rest)
    }

    /// Says why the entry cannot be read, if that is known from the directory.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadNoPermission` for an encrypted entry,
    ///   `.featureUnsupported` for another compression method, `.fileReadTooLarge` over one of `limits`.
    func checkReadable(_ limits: ArchiveLimits) throws {
        switch defect {
        case .overlapping: throw damaged("it claims bytes that belong to other parts of the archive")
        case .malformed: throw damaged("its sizes or its place make no sense")
        case .elsewhere: throw damaged("it lies on another disk of a split archive")
        case nil: break
        }
        if isEncrypted {
            throw FileError.make(.fileReadNoPermission, path: path, sentence: "“\(path)” is encrypted with a password.")
        }
        switch method {
        case 0: if compressedSize != uncompressedSize { throw damaged("it is stored, and has two sizes") }
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
                    "“\(path)” would become more than \(limits.maxRatio) times as large as it is, as archives made to do harm do."
            )
        }
    }

    /// The error for an entry whose bytes are not what they should be.
    func damaged(_ why: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” in the archive is damaged: \(why).")
    }
}
