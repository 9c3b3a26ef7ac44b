public import Foundation

/// Writes ZIP archives entry by entry (APPNOTE.TXT 6.3.10), good ones and ones that are wrong in a way that is asked
/// for.
///
/// Bytes go out as they are made, so that an archive of any size needs the memory of one entry.
public final class ZIPBuilder {
    /// How an entry deviates from a plain one.
    public struct Options: Sendable {
        /// 0 stores, 8 deflates; others store the bytes and claim the method.
        public var method: UInt16 = 8
        /// zlib's level, 0 to 9, for what is deflated.
        public var level: Int32 = 6
        /// What is deflated has fixed codes, so that letters can be exchanged without changing its length.
        public var hasFixedCodes = false
        /// What is deflated ends without its final block.
        public var lacksFinalBlock = false
        /// Sizes and checksum follow the data, and are zero in the local header.
        public var hasDataDescriptor = false
        /// The directory has saturated fields and an extra field 0x0001.
        public var isZIP64 = false
        /// Sets bit 0; the bytes stay plain.
        public var isEncrypted = false
        /// Sets bit 11.
        public var isUTF8 = true
        /// The name's bytes, if not the UTF-8 of the name.
        public var nameBytes: [UInt8]?
        /// The extra fields of the local header, as bytes.
        public var localExtra: [UInt8] = []
        /// The extra fields in the directory, behind the one of ZIP64.
        public var directoryExtra: [UInt8] = []
        /// What the directory says instead of the truth.
        public var claimedSize: UInt32?
        /// What the directory says instead of the truth.
        public var claimedCompressedSize: UInt32?
        /// What the directory says instead of the truth.
        public var claimedChecksum: UInt32?
        /// Where the directory says the local header is.
        public var claimedOffset: UInt32?
        /// The number of the disk on which the directory says the entry is.
        public var claimedDisk: UInt16 = 0

        /// A deflated entry with nothing wrong in it.
        public init() {}
    }

    /// How the end of an archive deviates from a plain one.
    public struct Ending: Sendable {
        /// The archive's comment, behind the end record.
        public var comment: [UInt8] = []
        /// What follows the end record.
        public var trailing: [UInt8] = []
        /// Adds the ZIP64 end record and locator, and saturates the usual one.
        public var isZIP64 = false
        /// The number of the disk that the record claims to be on.
        public var disk: UInt16 = 0
        /// What the end record says instead of the truth, unless ``isZIP64``.
        public var claimedEntries: UInt16?
        /// What the end record says instead of the truth, unless ``isZIP64``.
        public var claimedDirectorySize: UInt32?
        /// What the end record says instead of the truth, unless ``isZIP64``.
        public var claimedDirectoryOffset: UInt32?

        /// An end with nothing wrong in it.
        public init() {}
    }

    /// An entry as it went out.
    struct Record {
        var name: [UInt8]
        var checksum: UInt32
        var compressedSize: Int
        var size: Int
        var offset: Int64
        var options: Options

        var flags: UInt16 {
            (options.isEncrypted ? 1 : 0) | (options.hasDataDescriptor ? 8 : 0) | (options.isUTF8 ? 0x800 : 0)
        }
    }

    private let output: (Data) throws -> Void
    /// Offsets count from here: bytes in front of the archive are not known to its writer.
    private let prefixLength: Int64
    private var position: Int64
    private var records: [Record] = []

    /// - Parameters:
    ///   - prefix: Bytes in front of the archive, which its offsets do not count.
    ///   - output: Takes what is written.
    public init(prefix: Data = Data(), output: @escaping (Data) throws -> Void) throws {
        self.output = output
        prefixLength = Int64(prefix.count)
        position = prefixLength
        if !prefix.isEmpty { try output(prefix) }
    }

    /// An archive in memory.
    public static func data(
        prefix: Data = Data(), ending: Ending = Ending(), _ fill: (ZIPBuilder) throws -> Void
    ) throws -> Data {
        var data = Data()
        let builder = try ZIPBuilder(prefix: prefix) { data += $0 }
        try fill(builder)
        try builder.finish(ending)
        return data
    }

    /// An archive in a file, which is replaced.
    public static func file(at url: URL, ending: Ending = Ending(), _ fill: (ZIPBuilder) throws -> Void) throws {
        try Data().write(to: url)
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        let builder = try ZIPBuilder { try handle.write(contentsOf: $0) }
        try fill(builder)
        try builder.finish(ending)
    }

    /// Adds a stored entry.
    public func store(_ name: String, _ content: Data) throws {
        var options = Options()
        options.method = 0
        try add(name, content, options)
    }

    /// Adds a deflated entry.
    public func deflate(_ name: String, _ text: String) throws { try add(name, Data(text.utf8)) }

    /// Adds an entry.
    public func add(_ name: String, _ content: Data, _ options: Options = Options()) throws {
        let packed =
            options.method == 8
            ? Deflate.pack(
                content, level: options.level, hasFixedCodes: options.hasFixedCodes, isEnd: !options.lacksFinalBlock)
            : content
        let record = Record(
            name: options.nameBytes ?? Array(name.utf8), checksum: Deflate.checksum(content),
            compressedSize: packed.count,
            size: content.count, offset: position - prefixLength, options: options)
        try write(record.localHeader())
        try write(packed)
        if options.hasDataDescriptor { try write(record.dataDescriptor()) }
        records.append(record)
    }

    /// Adds a deflated entry that says `part` so many times, packed once: a large one that is made quickly.
    public func deflate(_ name: String, _ part: Data, times count: Int) throws {
        let packed = Deflate.pack(part, isEnd: false)
        let end = Deflate.pack(Data())
        let record = Record(
            name: Array(name.utf8),
            checksum: Deflate.checksum(of: count, times: Deflate.checksum(part), length: part.count),
            compressedSize: count * packed.count + end.count, size: count * part.count, offset: position - prefixLength,
            options: Options())
        try write(record.localHeader())
        for _ in 0..<count { try write(packed) }
        try write(end)
        records.append(record)
    }

    /// Writes the directory and what follows it.
    public func finish(_ ending: Ending = Ending()) throws {
        let start = position - prefixLength
        for record in records { try write(record.directoryHeader()) }
        let size = position - prefixLength - start
        if ending.isZIP64 { try write(ZIPEnd.zip64(entries: records.count, size: size, offset: start)) }
        try write(ZIPEnd.usual(entries: records.count, size: size, offset: start, ending))
    }

    private func write(_ data: Data) throws {
        try output(data)
        position += Int64(data.count)
    }
}
