import ReaderMessages

/// What is particular about one reader application: by which options and metadata it is spoken to.
///
/// All applications speak one protocol; a driver only says what differs. The defaults change nothing.
public protocol ReaderDriver: Sendable {
    /// The options for this application, made of those that the user chose.
    func options(_ chosen: DriverOptions) -> DriverOptions

    /// The metadata of a book as this application is to get it.
    func metadata(_ metadata: BookMetadata) -> BookMetadata

    /// The session with the application whose command staging folder is `staging`.
    func session(staging: StagingFolder, options: DriverOptions, context: DriverContext) async throws -> DriverSession
}

extension ReaderDriver {
    /// As they are.
    public func options(_ chosen: DriverOptions) -> DriverOptions { chosen }

    /// As it is.
    public func metadata(_ metadata: BookMetadata) -> BookMetadata { metadata }

    /// A session with this driver's options and metadata.
    public func session(staging: StagingFolder, options: DriverOptions, context: DriverContext) async throws
        -> DriverSession
    {
        DriverSession(
            staging: staging, options: self.options(options), context: context, metadata: { self.metadata($0) })
    }
}

/// The driver for every application that speaks calibre's protocol as it is described.
public struct CalibreProtocolDriver: ReaderDriver {
    /// The driver.
    public init() {}
}

/// Drivers by the applications that they are for: a value, that a program fills as it likes.
public struct DriverRegistry: Sendable {
    private var drivers: [String: any ReaderDriver] = [:]
    /// The driver of applications that none is registered for.
    public var fallback: any ReaderDriver

    /// No driver but the one for all others.
    public init(fallback: any ReaderDriver = CalibreProtocolDriver()) { self.fallback = fallback }

    /// A registry with the drivers that come with this library.
    public static var standard: DriverRegistry { DriverRegistry() }

    /// The identifiers of the applications that a driver is registered for, sorted.
    public var applications: [String] { drivers.keys.sorted() }

    /// Has `driver` serve the application with this identifier, whatever the case of its letters, in place of the one
    /// before.
    public mutating func register(_ driver: any ReaderDriver, for application: String) {
        drivers[application.lowercased()] = driver
    }

    /// The driver for the application with this identifier; nil is one that does not tell it.
    public func driver(for application: String?) -> any ReaderDriver {
        application.flatMap { drivers[$0.lowercased()] } ?? fallback
    }

    /// Opens the session with the application that is in connection mode in `staging`, by the driver and the options
    /// for it.
    ///
    /// - Parameters:
    ///   - application: The identifier to go by; nil takes the application's own.
    ///   - override: Changes the options of the configuration, before the driver has its say.
    /// - Throws: ``DriverError`` (notConnected, offline) where no application is there to be asked; what the storage
    ///   throws.
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
