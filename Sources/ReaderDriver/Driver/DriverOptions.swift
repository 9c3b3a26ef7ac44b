/// The options of a driver; every value has a default.
public struct DriverOptions: Hashable, Sendable {
    /// Seconds that the application has to notice a command.
    public var acknowledgeLimit = 15.0
    /// Seconds without a change of its report after which the application counts as stalled.
    public var stallLimit = 15.0
    /// Seconds for which both limits are suspended while the application says that it is offline.
    public var offlineLimit = 60.0
    /// The most seconds that one command may take.
    public var commandLimit = 21_600.0
    /// Seconds that a command's file may remain after the application's last report, before the driver removes it.
    public var removalLimit = 5.0
    /// Seconds without a sign of life after which a call to the storage is abandoned; as long as storages themselves
    /// wait. Looks at a command's report get a third of the shorter of the two silence limits.
    public var callLimit = 60.0
    /// Seconds between two looks for a report; `nil` means 0.25 on a local disk and 1 elsewhere.
    public var pollInterval: Double?
    /// Seconds between two looks for an application.
    public var probeInterval = 2.0
    /// The most books in one command.
    public var batchSize = 100
    /// The policy for books that are already on the device, unless an upload chooses another.
    public var existingBooks = ExistingBookPolicy.protect
    /// Whether messages begin with a byte order mark.
    public var writesByteOrderMark = true
    /// The folder for documents inside the command staging folder, for applications that don't name one; empty for the
    /// staging folder itself.
    public var documentsFolder = ""
    /// The path of the application's folder of books on the same storage, from which books are read without asking the
    /// application; with `nil`, the application exports them.
    public var booksFolder: String?
    /// The largest list of books that is fetched, in bytes; 256 MiB, which is also the most that is read of one.
    public var maxSnapshotSize: Int64 = 256 << 20
    /// The largest book that is fetched, in bytes.
    public var maxBookSize: Int64 = 4 << 30
    /// Whether the contents of all commands are logged, without covers and descriptions.
    public var developmentMode = false

    /// Creates the default options.
    public init() {}

    /// Returns the seconds between two looks for a report on this storage.
    func poll(isLocal: Bool) -> Double { pollInterval ?? (isLocal ? 0.25 : 1) }
}

extension DriverOptions: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case acknowledgeLimit = "acknowledge_limit"
        case stallLimit = "stall_limit"
        case offlineLimit = "offline_limit"
        case commandLimit = "command_limit"
        case removalLimit = "removal_limit"
        case callLimit = "call_limit"
        case pollInterval = "poll_interval"
        case probeInterval = "probe_interval"
        case batchSize = "upload_batch_size"
        case existingBooks = "existing_books"
        case writesByteOrderMark = "byte_order_mark"
        case documentsFolder = "documents_folder"
        case booksFolder = "books_folder"
        case maxSnapshotSize = "largest_snapshot"
        case maxBookSize = "largest_book"
        case developmentMode = "development_mode"
    }

    /// Decodes the options; missing keys have their default values.
    /// - Throws: `DecodingError`, also for values out of range: times are from 0.01 to 86,400 seconds, batches from 1
    ///   to 10,000.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(
            _ key: CodingKeys, into value: inout Value, where isSound: (Value) -> Bool = { _ in true }
        ) throws {
            guard let read = try values.decodeIfPresent(Value.self, forKey: key) else { return }
            guard isSound(read) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: values, debugDescription: "The value of “\(key.rawValue)” is out of range.")
            }
            value = read
        }
        let isTime: (Double) -> Bool = { (0.01...86_400).contains($0) }
        try read(.acknowledgeLimit, into: &acknowledgeLimit, where: isTime)
        try read(.stallLimit, into: &stallLimit, where: isTime)
        try read(.offlineLimit, into: &offlineLimit, where: isTime)
        try read(.commandLimit, into: &commandLimit, where: isTime)
        try read(.removalLimit, into: &removalLimit, where: isTime)
        try read(.callLimit, into: &callLimit, where: isTime)
        try read(.pollInterval, into: &pollInterval, where: { $0.map(isTime) ?? true })
        try read(.probeInterval, into: &probeInterval, where: isTime)
        try read(.batchSize, into: &batchSize, where: { (1...10_000).contains($0) })
        try read(.existingBooks, into: &existingBooks)
        try read(.writesByteOrderMark, into: &writesByteOrderMark)
        try read(.documentsFolder, into: &documentsFolder)
        try read(.booksFolder, into: &booksFolder)
        try read(.maxSnapshotSize, into: &maxSnapshotSize, where: { $0 > 0 })
        try read(.maxBookSize, into: &maxBookSize, where: { $0 > 0 })
        try read(.developmentMode, into: &developmentMode)
    }
}
