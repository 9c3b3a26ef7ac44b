import Carrel
import Foundation
import Logging

/// Asks a server for the attributes of one item again and again, with a logger or without.
///
///     logging-benchmark URL COUNT none|default|debug
///
/// The password is $CARREL_PASSWORD. `default` is a logger as swift-log makes it: `.info`, to standard error.
@main
struct LoggingBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let url = URL(string: arguments[0]), let count = Int(arguments[1]),
            let logger = loggers[arguments[2]]
        else { fatalError("usage: logging-benchmark URL COUNT none|default|debug") }
        try ProviderRegistry.shared.registerBuiltInProviders()
        let options = ConnectionOptions(
            credentials: EnvironmentCredentials(password: "CARREL_PASSWORD"), proxy: .none, logger: logger)
        let location = try await ProviderRegistry.shared.location(of: url, options: options)
        for _ in 0..<count { _ = try await location.provider.attributesOfItem(path: location.path) }
    }

    private static var loggers: [String: Logger?] {
        let standard = Logger(label: "benchmark") { StreamLogHandler.standardError(label: $0) }
        var debug = standard
        debug.logLevel = .debug
        return ["none": nil, "default": standard, "debug": debug]
    }
}
