import FileProviderCore
public import Foundation
import ReaderMessages

/// The options of drivers in a configuration file that a user can edit without rebuilding the program.
///
/// The file is a JSON object. `development_mode` and `development_app_id` are for driver developers; `defaults`
/// contains the options for all applications, `drivers` those that differ for one application, by its identifier. All
/// keys are optional:
///
///     { "development_mode": true, "development_app_id": "com.example.reader",
///       "defaults": { "stall_limit": 30 },
///       "drivers": { "com.example.reader": { "existing_books": "replace", "byte_order_mark": false } } }
public struct DriverConfiguration: Sendable {
    /// The most bytes of such a file.
    private static let limit = 1 << 20

    /// Whether the contents of all commands are logged.
    public var developmentMode = false
    /// The application that a driver is developed for. Its driver and options are used whichever application is there.
    public var developmentApplication: String?
    /// Changes the options after the file was applied, for choices of this run. A driver's own changes come later.
    public var adjust: @Sendable (inout DriverOptions) -> Void = { _ in }
    private var defaults: [String: Value] = [:]
    private var drivers: [String: [String: Value]] = [:]

    /// Creates a configuration with the default options.
    public init() {}

    /// Reads a configuration.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with a sentence that names the file and the problem: malformed
    ///   JSON, an unknown option, or an invalid value. `CocoaError(.fileReadTooLarge)` over 1 MiB; errors of the disk.
    public static func load(from url: URL) async throws -> DriverConfiguration {
        let data = try await BlockingThreads.shared.run {
            let file = try FileHandle(forReadingFrom: url)
            let data = try file.read(upToCount: limit + 1) ?? Data()
            try file.close()
            return data
        }
        guard data.count <= limit else {
            throw FileError.make(
                .fileReadTooLarge, path: url.path,
                sentence: "“\(url.path)” is larger than \(limit) bytes, the limit for options of drivers.")
        }
        do { return try DriverConfiguration(json: data) } catch let error as DecodingError {
            throw FileError.make(
                .fileReadCorruptFile, path: url.path, url: url,
                sentence: "“\(url.path)” cannot be used: \(Self.sentence(error))",
                underlying: error)
        }
    }

    /// Creates a configuration from the contents of such a file.
    /// - Throws: `DecodingError`.
    public init(json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        developmentMode = file.developmentMode ?? false
        developmentApplication = file.developmentApplication
        defaults = file.defaults ?? [:]
        for (application, options) in file.drivers ?? [:] { drivers[application.lowercased()] = options }
        // Reports errors now rather than when the application connects.
        for application in [nil] + drivers.keys.map({ $0 as String? }) { _ = try options(for: application) }
    }

    /// Returns the options for the application with this identifier; `nil` means an application that doesn't state one.
    /// - Throws: `DecodingError` for invalid values.
    public func options(for application: String?) throws -> DriverOptions {
        let own = application.flatMap { drivers[$0.lowercased()] } ?? [:]
        let merged = defaults.merging(own) { $1 }
        let known = Set(DriverOptions.CodingKeys.allCases.map(\.rawValue))
        if let unknown = merged.keys.sorted().first(where: { !known.contains($0) }) {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "The option “\(LogText.shown(unknown))” is unknown."))
        }
        var options = try JSONDecoder().decode(DriverOptions.self, from: JSONEncoder().encode(merged))
        if developmentMode { options.developmentMode = true }
        adjust(&options)
        return options
    }

    private static func sentence(_ error: DecodingError) -> String {
        guard let context = error.context else { return "It cannot be read." }
        return error.codingPosition.isEmpty
            ? context.debugDescription : "“\(LogText.shown(error.codingPosition))”: \(context.debugDescription)"
    }

    private struct File: Decodable {
        var developmentMode: Bool?
        var developmentApplication: String?
        var defaults: [String: Value]?
        var drivers: [String: [String: Value]]?

        enum CodingKeys: String, CodingKey {
            case developmentMode = "development_mode"
            case developmentApplication = "development_app_id"
            case defaults
            case drivers
        }
    }

    /// The JSON value of an option.
    private enum Value: Hashable, Sendable, Codable {
        case flag(Bool)
        case number(Double)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            // The first type that decodes is the value's type.
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .flag(let flag): try container.encode(flag)
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }
}
