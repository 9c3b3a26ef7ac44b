/// The properties of one connected provider: which abilities it has here, its limits, and the cost of a read.
///
/// An operation that a provider implements natively is a protocol, found with `as?`; facts are values in here. The same
/// server software may give different answers on two hosts, so the value belongs to a connection, not to a type.
public struct Capabilities: Sendable, Hashable, Codable {
    /// How an ability is provided.
    public enum Support: String, Sendable, Hashable, Codable {
        /// The storage does it itself.
        case native
        /// Carrel does it with several of the storage's own operations.
        case derived
        /// Not available; the operation fails with a sentence that says so.
        case unavailable
    }

    /// An ability that a caller may have to know about before it acts.
    public enum Ability: String, Sendable, Hashable, Codable, CodingKeyRepresentable, CaseIterable {
        /// Bytes from an offset on.
        case rangedReading
        /// The last bytes of a file, without asking for its size first.
        case suffixReading
        /// Creating and replacing files.
        case writing
        /// Writing from a source whose length is not known before its end.
        case streamedWriting
        /// Others see the old file or the new one, never a part.
        case atomicReplacement
        /// The storage decides `overwrite: false` in one step: of two concurrent writers exactly one wins.
        case exclusiveCreation
        /// `ifMatch`: a write succeeds only while the file is the version that the caller knows.
        case conditionalWriting
        /// A write that stopped continues later at the same point, even in another process
        /// (``WriteOptions/resumption``).
        case resumingWrites
        /// Adding bytes at the end of a file (``FileProviderAppending``).
        case appending
        /// Creating folders.
        case folderCreation
        /// Removing a file or an empty folder.
        case removal
        /// Removing a folder with everything in it; native: in one request.
        case recursiveRemoval
        /// Moving and renaming, folders with everything in them.
        case moving
        /// Copying without the bytes passing through this machine.
        case serverSideCopying
        /// A copied folder appears under its name when it is whole, or not at all. Without it, others see it grow, and
        /// a copy that fails removes the items that it created.
        case atomicFolderCopying
        /// A write keeps the modification time in its ``WriteOptions``.
        case settingModificationDate
        /// A write keeps the permission bits in its ``WriteOptions``.
        case settingPermissions
        /// Extended attributes (``FileProviderExtendedAttributes``).
        case extendedAttributes
        /// Total and free space.
        case storageProperties
        /// Listings have the version of each item.
        case entryTags
        /// The tag of a folder changes whenever anything below it does, so that one look can show that a whole tree is
        /// unchanged.
        case treeTags
        /// Creating links, and reading their targets (``FileProviderSymbolicLink``).
        case symbolicLinks
        /// Links under which anybody can read an item.
        case publicLinks
        /// Names that are not UTF-8.
        case rawNames
    }

    /// The cost of a read, by which readers choose block size and gaps.
    public struct ReadCost: Sendable, Hashable, Codable {
        /// Round trips from `open` to the first byte, the first range included.
        public var roundTripsToOpen: Int
        /// Round trips for one more range.
        public var roundTripsPerRange: Int
        /// The smallest block worth requesting, in bytes.
        public var preferredBlock: Int
        /// The largest gap, in bytes, across which two ranges are better read as one.
        public var coalescingGap: Int
        /// Ranges of one file that are worth having in flight at once.
        public var concurrentRanges: Int

        /// Creates a cost; counts are 1 or more, gaps and blocks in bytes.
        public init(
            roundTripsToOpen: Int, roundTripsPerRange: Int, preferredBlock: Int, coalescingGap: Int,
            concurrentRanges: Int
        ) {
            self.roundTripsToOpen = roundTripsToOpen
            self.roundTripsPerRange = roundTripsPerRange
            self.preferredBlock = preferredBlock
            self.coalescingGap = coalescingGap
            self.concurrentRanges = concurrentRanges
        }

        /// How many folders are worth listing at once.
        package var concurrentListings: Int { roundTripsPerRange == 0 ? 1 : max(1, concurrentRanges) }

        /// A disk or memory: ranges are free.
        public static let local = ReadCost(
            roundTripsToOpen: 0, roundTripsPerRange: 0, preferredBlock: 4096, coalescingGap: 4096, concurrentRanges: 4)
        /// A range is one request on an existing connection.
        public static let request = ReadCost(
            roundTripsToOpen: 1, roundTripsPerRange: 1, preferredBlock: 8192, coalescingGap: 16_384, concurrentRanges: 4
        )
    }

    private var support: [Ability: Support]
    /// The cost that this provider's readers state, too.
    public var readCost: ReadCost
    /// Small files that are worth transferring at once; nil if it makes no difference.
    public var concurrentTransfers: Int?
    /// The step of modification times, in seconds; nil if the storage has none.
    public var timePrecision: Double?
    /// Bytes of the largest file; nil if no limit is known.
    public var largestFile: Int64?
    /// Bytes of the longest name; nil if no limit is known.
    public var longestName: Int?
    /// Whether `a` and `A` are two files.
    public var isCaseSensitive: Bool
    /// Whether names that differ only in their Unicode normalization, such as `é` in one code point and in two, are two
    /// files (UAX #15).
    public var isNormalizationSensitive: Bool
    /// Whether listings show every name. If false, a folder that was copied item by item must not be removed
    /// afterwards.
    public var listsEveryName: Bool
    /// Whether writing to a path creates the folders above it, as on storages whose folders are only prefixes of names.
    /// If false, the parent must exist.
    public var makesParentFolders: Bool
    /// Hashes that the storage computes or keeps, such as `sha256`, for use with ``FileProviderChecksums``.
    public var hashKinds: [String]
    /// Whether each file has all of ``hashKinds``, as on storages that compute them. False if the storage only keeps
    /// those that it received with a file.
    public var hashesEveryFile = true
    /// Whether the storage computes ``hashKinds`` from the bytes that it has, or has compared them with those. False if
    /// it keeps the hash that a file's writer sends and never compares it: such a hash doesn't prove that a copy is
    /// whole.
    public var computesHashes = true

    /// Creates the capabilities of a provider; abilities that `support` leaves out are unavailable.
    public init(
        _ support: [Ability: Support] = [:], readCost: ReadCost, timePrecision: Double? = nil,
        largestFile: Int64? = nil,
        longestName: Int? = nil, isCaseSensitive: Bool = true, isNormalizationSensitive: Bool = true,
        listsEveryName: Bool = true,
        makesParentFolders: Bool = false, hashKinds: [String] = [], concurrentTransfers: Int? = 4
    ) {
        self.support = support
        self.readCost = readCost
        self.concurrentTransfers = concurrentTransfers
        self.timePrecision = timePrecision
        self.largestFile = largestFile
        self.longestName = longestName
        self.isCaseSensitive = isCaseSensitive
        self.isNormalizationSensitive = isNormalizationSensitive
        self.listsEveryName = listsEveryName
        self.makesParentFolders = makesParentFolders
        self.hashKinds = hashKinds
    }

    /// How `ability` is provided; `unavailable` by default.
    public subscript(ability: Ability) -> Support {
        get { support[ability] ?? .unavailable }
        set { support[ability] = newValue }
    }

    /// Whether `ability` is available, natively or derived.
    public func has(_ ability: Ability) -> Bool { self[ability] != .unavailable }

    /// The capabilities without the abilities that change something, for a storage that is only read.
    public var readOnly: Capabilities {
        var capabilities = self
        for ability in Ability.allCases where ability.changesSomething { capabilities[ability] = .unavailable }
        return capabilities
    }

    /// Whether the storage keeps any two names apart.
    public var tellsEveryName: Bool { isCaseSensitive && isNormalizationSensitive }

    /// Whether the storage treats two paths as two items.
    public func tells(_ path: ProviderPath, from other: ProviderPath) -> Bool {
        if path == other { return false }
        if tellsEveryName { return true }
        // Strings are compared without regard to normalization.
        let (one, two) = (path.string, other.string)
        if one == two { return isNormalizationSensitive }
        return isCaseSensitive || one.lowercased() != two.lowercased()
    }
}

extension Capabilities.Ability {
    /// Whether the ability means that the storage can be changed.
    fileprivate var changesSomething: Bool {
        switch self {
        case .rangedReading, .suffixReading, .extendedAttributes, .storageProperties, .entryTags, .treeTags,
            .rawNames:
            false
        default: true
        }
    }
}
