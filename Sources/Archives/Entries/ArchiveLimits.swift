/// Limits for reading archives, against those made to exhaust memory, disks or patience.
public struct ArchiveLimits: Sendable, Hashable {
    /// The most entries of one archive; 200,000.
    public var entries = 200_000
    /// The largest directory in bytes; 64 MiB.
    public var directoryBytes: Int64 = 64 << 20
    /// The largest unpacked entry in bytes; 2 GiB. Stored entries are bounded by the file.
    public var maxEntrySize: Int64 = 2 << 30
    /// How many times larger than its compressed data an entry may become once it is larger than ``ratioFloor``; 200.
    ///
    /// Deflate cannot do more than about 1,032. Text reaches 3 to 20, a page of one repeated line 460, but such pages
    /// are small.
    public var maxRatio: Int64 = 200
    /// The output in bytes up to which ``maxRatio`` is not applied; 1 MiB.
    public var ratioFloor: Int64 = 1 << 20

    /// The most bytes to read in search of the entries of a ZIP archive whose directory is missing or damaged; 256 MiB,
    /// 0 to disable the search.
    ///
    /// If the local headers have sizes, only the headers are read, 16 KiB for each large entry; otherwise the whole
    /// file, once.
    public var salvage: Int64 = 256 << 20
    /// The most bytes to read for listing an archive that has no directory, such as RAR and TAR; 1 GiB.
    ///
    /// Entries that are packed one by one are skipped and cost only their headers; a solid archive has to be unpacked
    /// to be listed.
    public var listing: Int64 = 1 << 30
    /// The longest time for listing such an archive; two minutes.
    public var listingTime: Duration = .seconds(120)

    /// The defaults named at each property.
    public init() {}

    /// The default limits.
    public static let standard = ArchiveLimits()

    /// Limits for recognising a file: 512 KiB for salvage, 64 MiB and ten seconds for a list.
    public static let sniffing = {
        var limits = ArchiveLimits()
        (limits.salvage, limits.listing, limits.listingTime) = (512 << 10, 64 << 20, .seconds(10))
        return limits
    }()
}
