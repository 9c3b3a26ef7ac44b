import Foundation

/// JSON files that people write by hand, such as an app's configuration.
public enum ConfigurationFile {
    /// The most bytes of a file to read, 1 MiB.
    public static let maxSize = 1 << 20

    /// Reads a value of `type` from the local file `file`. ``Swift/Decoder/container(ofKnown:in:)`` refuses unknown
    /// keys.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with a sentence that says what is wrong and where, with the line if
    ///   the file is no JSON; `CocoaError(.fileReadNoSuchFile)` and its like; `CocoaError(.fileReadTooLarge)`.
    public static func load<Value: Decodable>(_ type: Value.Type, from file: String) async throws -> Value {
        let data = try await SmallFile.read(file, limit: maxSize)
        do { return try JSONDecoder().decode(type, from: data) } catch let error as DecodingError {
            let what = flaw(of: data) ?? error.placed ?? error.localizedDescription
            throw FileError.make(.fileReadCorruptFile, path: file, sentence: "“\(file)”: \(what)", underlying: error)
        }
    }

    /// Returns where and why `data` is no JSON, which the decoder on Linux does not say; nil if it is JSON.
    private static func flaw(of data: Data) -> String? {
        do { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch {
            let why = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "This is not JSON."
            let index = why.components(separatedBy: " around character ").last.flatMap { Int($0.dropLast()) }
            guard let index else { return why }
            return "Line \(data.prefix(index).count { $0 == UInt8(ascii: "\n") } + 1): \(why)"
        }
        return nil
    }
}

extension DecodingError {
    /// The place and the reason of the error.
    package var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// Names of keys, and numbers of elements counted from 1, with dots in between.
    package var codingPosition: String {
        context?.codingPath.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".") ?? ""
    }

    /// The place, if it is known, and the reason.
    package var placed: String? {
        context.map { (codingPosition.isEmpty ? "" : "at \(codingPosition): ") + $0.debugDescription }
    }
}
