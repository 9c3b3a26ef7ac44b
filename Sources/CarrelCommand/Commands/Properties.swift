import ArgumentParser
import Carrel
import Foundation

struct ShowProperties: Verb {
    static let configuration = CommandConfiguration(
        commandName: "props", abstract: "Show a file's metadata: camera data, tags, title and author.",
        discussion:
            "For images (JPEG, PNG, WebP), audio (MP3, FLAC, Ogg, Opus, MP4), PDF, EPUB and CBZ, read by ranges where the format allows."
    )

    @Argument(help: "A file.", completion: .location)
    var location: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        let operand = try await session.operand(location)
        let properties: FileProperties
        do { properties = try await operand.provider.propertiesOfFile(path: operand.path) } catch {
            throw error.at(operand.shown, status: error.isOtherFormat ? .badFile : nil)
        }
        if common.json {
            let members = properties.keys.map { ($0, properties[$0]?.json ?? .null) }
            return try session.output.json(.object(Dictionary(members, uniquingKeysWith: { first, _ in first })))
        }
        for key in properties.keys {
            if let value = properties[key] { try session.output.fields([key, value.description]) }
        }
    }
}

extension FileProperties.Value {
    /// The value in the contract's JSON; a date in RFC 3339, in UTC.
    fileprivate var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .integer(number)
        case .double(let number): JSONValue(number)
        case .bool(let value): .bool(value)
        case .date: .string(description)
        case .list(let values): .array(values.map(\.json))
        }
    }
}

extension Error {
    /// Whether the file's format is not supported. A missing program also has this code, but has a cause.
    var isOtherFormat: Bool {
        guard let error = self as? CocoaError else { return false }
        return error.code == .featureUnsupported && error.underlying == nil
    }
}
