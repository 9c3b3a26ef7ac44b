import ReaderMessages

/// The particularities of one reader application: the options and metadata that it needs.
///
/// All applications use one protocol, and a driver only describes differences. The defaults change nothing.
public protocol ReaderDriver: Sendable {
    /// Returns the options for this application, based on those that the user chose.
    func options(_ chosen: DriverOptions) -> DriverOptions

    /// Returns a book's metadata in the form that this application needs.
    func metadata(_ metadata: BookMetadata) -> BookMetadata

    /// Returns a session with the application whose command staging folder is `staging`.
    func session(staging: StagingFolder, options: DriverOptions, context: DriverContext) async throws -> DriverSession
}

extension ReaderDriver {
    /// Returns the options unchanged.
    public func options(_ chosen: DriverOptions) -> DriverOptions { chosen }

    /// Returns the metadata unchanged.
    public func metadata(_ metadata: BookMetadata) -> BookMetadata { metadata }

    /// Returns a session with this driver's options and metadata.
    public func session(staging: StagingFolder, options: DriverOptions, context: DriverContext) async throws
        -> DriverSession
    {
        DriverSession(
            staging: staging, options: self.options(options), context: context, metadata: { self.metadata($0) })
    }
}

/// The driver for every application that follows calibre's protocol as documented.
public struct CalibreProtocolDriver: ReaderDriver {
    /// Creates the driver.
    public init() {}
}

/// The drivers by application: a value that a program fills as it needs.
public struct DriverRegistry: Sendable {
    private var drivers: [String: any ReaderDriver] = [:]
    /// The driver for applications without a registered driver.
    public var fallback: any ReaderDriver

    /// Creates a registry that contains only the fallback.
    public init(fallback: any ReaderDriver = CalibreProtocolDriver()) { self.fallback = fallback }

    /// The registry with the drivers of this library.
    public static var standard: DriverRegistry { DriverRegistry() }

    /// The identifiers of the applications with a registered driver, sorted.
    public var applications: [String] { drivers.keys.sorted() }

    /// Registers `driver` for the application with this identifier, ignoring case, and replaces the previous one.
    public mutating func register(_ driver: any ReaderDriver, for application: String) {
        drivers[application.lowercased()] = driver
    }

    /// Returns the driver for the application with this identifier; `nil` means an application that doesn't state one.
    public func driver(for application: String?) -> any ReaderDriver {
        application.flatMap { drivers[$0.lowercased()] } ?? fallback
    }

    /// Opens a session with the application that is connected in `staging`, with its driver and options.
    ///
    /// - Parameters:
    ///   - application: The identifier to use; `nil` uses the application's own.
    ///   - change: Changes the options of the configuration before the driver does.
    /// - Throws: ``DriverError`` (notConnected, offline) if no application is there to be asked; errors of the storage.
    public func open(
        staging: StagingFolder, application: String? = nil, configuration: DriverConfiguration = DriverConfiguration(),
        context: DriverContext = DriverContext(), override change: @Sendable (inout DriverOptions) -> Void = { _ in }
    ) async throws -> DriverSession {
        var identifier = application ?? configuration.developmentApplication
        if identifier == nil {
            var options = try configuration.options(for: nil)
            change(&options)
            identifier = try await DriverSession(staging: staging, options: options, context: context).applicationInfo()
                .application
        }
        var options = try configuration.options(for: identifier)
        change(&options)
        return try await driver(for: identifier).session(staging: staging, options: options, context: context)
    }
}
