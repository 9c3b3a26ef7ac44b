import FileProviderCore
import Foundation
import Sync

extension FleetPair {
    /// Checks what the database would keep.
    ///
    /// - Throws: `URLError(.badURL)` for a location with a password, query or fragment, or an empty one;
    ///   `CocoaError(.fileWriteInvalidFileName)` for an unusable name, and `CocoaError(.featureUnsupported)` for other
    ///   values out of range or options that do not decode.
    public func check() throws {
        try check(text: name, called: "name", mayBeEmpty: false)
        try check(text: owner, called: "owner", mayBeEmpty: true)
        for location in [source, destination] { try check(location: location) }
        for credential in [sourceCredential, destinationCredential].compactMap(\.self) {
            try check(text: credential, called: "credential's name", mayBeEmpty: false)
        }
        guard (0...Self.longest).contains(every) else {
            throw refusal("has an interval of \(every) s; it must be between 0 and \(Int(Self.longest)) s")
        }
        if let deadline, !(0.001...Self.longest).contains(deadline) {
            throw refusal("has a deadline of \(deadline) s; it must be between 0.001 and \(Int(Self.longest)) s")
        }
        guard Int32(exactly: priority) != nil else { throw refusal("has the priority \(priority), which is too large") }
        if options.utf8.contains(0) || options.contains("\\u0000") {
            throw refusal("has options with the character NUL, which PostgreSQL cannot store")
        }
        do { _ = try syncOptions() } catch let error as DecodingError {
            throw refusal("has unusable options: \(Self.sentence(error))")
        }
    }

    /// A hundred years, in seconds.
    private static let longest = 3.2e9

    private func check(text: String, called what: String, mayBeEmpty: Bool) throws {
        let isUsable =
            text.utf8.count <= 1000 && (mayBeEmpty || !text.isEmpty)
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
        if isUsable { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: name,
            sentence: "“\(LogText.shown(text, limit: 100))” cannot be the \(what) of a fleet's pair: it has "
                + (mayBeEmpty ? "0" : "1") + " to 1,000 bytes and no control characters.")
    }

    private func check(location: String) throws {
        guard !location.isEmpty, location.utf8.count <= 10_000,
            !location.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw badLocation(nil, "is empty, too long, or has control characters") }
        guard location.contains("://") else { return }
        guard let url = URL(string: location, encodingInvalidCharacters: true) else {
            throw badLocation(nil, "is not a URL")
        }
        if url.password(percentEncoded: true) != nil {
            throw badLocation(url, "has a password in it; give the pair a credential's name instead")
        }
        if url.query(percentEncoded: true) != nil || url.fragment(percentEncoded: true) != nil {
            throw badLocation(
                url, "has a query or fragment, which may be a secret; write ? and # in a name as %3F and %23")
        }
    }

    private func badLocation(_ url: URL?, _ reason: String) -> URLError {
        let shown = url.map { "“\($0.withoutSecrets.absoluteString)”, " } ?? ""
        return FileError.make(
            .badURL, url: url,
            sentence: "A location of the pair “\(LogText.shown(name, limit: 100))”, \(shown)\(reason).")
    }

    private func refusal(_ reason: String) -> CocoaError {
        FileError.make(
            .featureUnsupported, path: name, sentence: "The pair “\(LogText.shown(name, limit: 100))” \(reason).")
    }

    private static func sentence(_ error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            context.debugDescription
        @unknown default: error.sentence
        }
    }
}
