/// What an archive may ask of its reader, against archives made to exhaust memory, disks or patience.
public struct ArchiveLimits: Sendable, Hashable {
    /// Entries of one archive; 200,000.
    public var entries = 200_000
    /// Bytes of the directory; 64 MiB.
    public var directoryBytes: Int64 = 64 << 20
    /// Bytes of one unpacked entry; 2 GiB. Stored entries are bounded by the file.
    public var maxEntrySize: Int64 = 2 << 30
    /// How many times larger than its compressed data an entry may become once it is larger than ``ratioFloor``; 200.
    ///
    /// Deflate cannot do more than about 1,032. Text reaches 3 to 20, a page of one repeated line 460, but such pages
    /// are small.
    public var maxRatio: Int64 = 200
    /// Bytes of output that no ratio is asked of; 1 MiB.
    public var ratioFloor: Int64 = 1 << 20

    /// Bytes that are read at most to find the entries of a ZIP archive whose directory is missing or damaged; 256 MiB,
    /// 0 for never.
    ///
    /// Of an archive whose local headers tell sizes only the headers are read, 16 KiB for each large entry; else all of
    /// it, once.
    public var salvage: Int64 = 256 << 20
    /// Bytes that are read at most to list an archive that has no directory, such as RAR and TAR; 1 GiB.
    ///
    /// What is packed entry by entry is skipped and costs its headers alone; what is packed as a whole has to be
    /// unpacked for its list.
    public var listing: Int64 = 1 << 30
    /// How long listing such an archive may take; two minutes.
    public var listingTime: Duration = .seconds(120)

    /// The limits named at each property.
    public init() {}

    /// The limits that hold unless said otherwise.
    public static let standard = ArchiveLimits()

    /// Those for telling what a file is, where little may be spent: 512 KiB for salvage, 64 MiB and ten seconds for a
    /// list.
    public static let sniffing = {
        var limits = ArchiveLimits()
        (limits.salvage, limits.listing, limits.listingTime) = (512 << 10, 64 << 20, .seconds(10))
        return limits
    }()
}
