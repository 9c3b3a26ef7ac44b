import FileProviderCore
import Foundation

extension HTTPConnection {
    /// Calls `body`, which parses an answer about `path` as `service` understands it.
    ///
    /// - Throws: `URLError(.badServerResponse)` in place of a `DecodingError`.
    func parsing<Value>(_ service: any HTTPService.Type, path: ProviderPath, _ body: () throws -> Value) throws -> Value
    {
        do { return try body() } catch let error as DecodingError { throw foreign(service, path: path, error) }
    }

    /// As above, for a `body` that asks for the answer itself. It must not call closures of the caller, nor read the
    /// source of a write: their errors would be taken for the server's.
    func reading<Value: Sendable>(
        _ service: any HTTPService.Type, path: ProviderPath, _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let error as DecodingError { throw foreign(service, path: path, error) }
    }

    private func foreign(_ service: any HTTPService.Type, path: ProviderPath, _ error: DecodingError) -> URLError {
        FileError.make(
            .badServerResponse, url: url(of: path),
            sentence:
                "The server's answer about “\(path)” is not one of \(service.type). A proxy or a login page may be in the way.",
            underlying: error)
    }
}
