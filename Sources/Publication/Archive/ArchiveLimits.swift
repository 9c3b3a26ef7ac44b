/// What an archive may ask of its reader, against archives made to exhaust memory, disks or patience.
public struct ArchiveLimits: Sendable, Hashable {
    /// Entries of one archive; 200,000.
    public var entries = 200_000
    /// Bytes of the directory; 64 MiB.
    public var directoryBytes: Int64 = 64 << 20
    /// Bytes of one unpacked entry; 2 GiB. Stored entries are bounded by the file.
    public var largestEntry: Int64 = 2 << 30
    /// How many times larger than its compressed data an entry may become once it is larger than ``ratioFloor``; 200.
    ///
    /// Deflate cannot do more than about 1,032. Text reaches 3 to 20, a page of one repeated line 460, but such pages are small.
    public var largestRatio: Int64 = 200
    /// Bytes of output that no ratio is asked of; 1 MiB.
    public var ratioFloor: Int64 = 1 << 20

    /// The limits named at each property.
    public init() {}

    /// The limits that hold unless said otherwise.
    public static let standard = ArchiveLimits()
}
