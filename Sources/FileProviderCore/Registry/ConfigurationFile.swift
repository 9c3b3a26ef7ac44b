import Foundation

/// Files of JSON that people write by hand, such as an app's configuration.
public enum ConfigurationFile {
    /// The most bytes of a file that is read, 1 MiB.
    public static let maxSize = 1 << 20

    /// Reads a value of `type` from `file`, a path of this machine. ``Swift/Decoder/container(ofKnown:in:)`` refuses
    /// unknown keys.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` with a sentence that says where in the file what is wrong, with the
    ///   line where it is no JSON; `CocoaError(.fileReadNoSuchFile)` and its like; `CocoaError(.fileReadTooLarge)`.
    public static func load<Value: Decodable>(_ type: Value.Type, from file: String) async throws -> Value {
        let data = try await SmallFile.read(file, limit: maxSize)
        do { return try JSONDecoder().decode(type, from: data) } catch let error as DecodingError {
            let what = flaw(of: data) ?? error.placed ?? error.localizedDescription
            throw FileError.make(.fileReadCorruptFile, path: file, sentence: "“\(file)”: \(what)", underlying: error)
        }
    }

    /// Where `data` is no JSON, and why: the decoder on Linux does not say. Nil where it is JSON.
    private static func flaw(of data: Data) -> String? {
        do { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch {
            let why = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "This is no JSON."
            let index = why.components(separatedBy: " around character ").last.flatMap { Int($0.dropLast()) }
            guard let index else { return why }
            return "Line \(data.prefix(index).count { $0 == UInt8(ascii: "\n") } + 1): \(why)"
        }
        return nil
    }
}

extension DecodingError {
    /// Where, and why.
    package var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// Names of keys, and numbers of elements from 1 on, with points between them.
    package var codingPosition: String {
        context?.codingPath.map { $0.intValue.map { "\($0 + 1)" } ?? $0.stringValue }.joined(separator: ".") ?? ""
    }

    fileprivate var placed: String? {
        context.map { (codingPosition.isEmpty ? "" : "at \(codingPosition): ") + $0.debugDescription }
    }
}
