import Carrel
import Foundation

/// A secret in a file of the workers' folder of credentials, as systemd's `LoadCredential=` puts it there.
///
/// The first line is `user:password` or a bearer token, or the file is a private key for SSH. It is read whenever a secret
/// is needed, so that a new one counts from then on.
struct FleetCredential: CredentialSource {
    private static let largest = 256 << 10

    let file: URL

    func credential(for origin: Origin, user: String?) async throws -> Credential? {
        // A pair's secret is for its server, whatever proxy the worker goes through.
        if origin.isProxy { return nil }
        let data = try await SmallFile.read(
            file.path(percentEncoded: false), limit: Self.largest, isSecret: true)
        if data.starts(with: Data("-----BEGIN ".utf8)) { return .privateKey(user: user ?? "", key: data) }
        let text = String(decoding: data, as: UTF8.self)
        let line = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).first ?? ""
        guard !line.isEmpty else {
            throw FileError.make(
                .fileReadCorruptFile, path: file.path(percentEncoded: false),
                sentence: "The credential “\(file.lastPathComponent)” is empty.")
        }
        guard let colon = line.firstIndex(of: ":") else { return .bearer(String(line)) }
        let name = String(line[..<colon])
        // Another user than the location's would see another folder.
        if let user, user != name {
            throw FileError.make(
                .fileReadCorruptFile, path: file.path(percentEncoded: false),
                sentence: "The credential “\(file.lastPathComponent)” is of another user than the location.")
        }
        return .password(user: name, password: String(line[line.index(after: colon)...]))
    }
}
