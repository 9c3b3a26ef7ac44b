public import FileProviderCore
public import Foundation

/// A source of access keys from the places that AWS tools use: the environment, then the shared credentials file.
///
/// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; without them `AWS_SHARED_CREDENTIALS_FILE`, or
/// `~/.aws/credentials`, in the profile that `AWS_PROFILE` names, or `default`.
public struct S3Credentials: CredentialSource {
    private let environment: [String: String]

    /// Creates a source.
    ///
    /// - Parameter environment: The environment, by default this process's; read once.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    /// Returns the access key, or nil for a proxy, because the keys are for the service behind it.
    ///
    /// - Throws: `CocoaError`, such as `.fileReadNoPermission`, if the credentials file exists and cannot be read.
    public func credential(for origin: Origin, user: String?) async throws -> Credential? {
        guard !origin.isProxy else { return nil }
        let found = Self.credential(
            key: environment["AWS_ACCESS_KEY_ID"], secret: environment["AWS_SECRET_ACCESS_KEY"],
            token: environment["AWS_SESSION_TOKEN"])
        let credential: Credential?
        if let found { credential = found } else { credential = try await shared() }
        guard case .password(let key, _)? = credential?.kind, user == nil || key == user else { return nil }
        return credential
    }

    private static func credential(key: String?, secret: String?, token: String?) -> Credential? {
        guard let key, let secret, !key.isEmpty, !secret.isEmpty else { return nil }
        let token = token.flatMap { $0.isEmpty ? nil : " " + $0 } ?? ""
        return .password(user: key, password: secret + token)
    }

    private func shared() async throws -> Credential? {
        let file = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? (environment["HOME"] ?? "") + "/.aws/credentials"
        let profile = environment["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 } ?? "default"
        let text: String? = try await BlockingThreads.shared.run {
            do { return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self) } catch let
                error
                where error.isNoSuchFile
            {
                return nil
            }
        }
        guard let values = text.flatMap({ Self.profiles(in: $0)[profile] }) else { return nil }
        return Self.credential(
            key: values["aws_access_key_id"], secret: values["aws_secret_access_key"],
            token: values["aws_session_token"])
    }

    /// Sections of `name = value` lines; `#` and `;` begin comments.
    static func profiles(in text: String) -> [String: [String: String]] {
        var profiles: [String: [String: String]] = [:]
        var current = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                current = line[line.index(after: line.startIndex)..<end].trimmingCharacters(in: .whitespaces)
            } else if let equals = line.firstIndex(of: "="), !line.hasPrefix("#"), !line.hasPrefix(";") {
                let name = line[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
                profiles[current, default: [:]][name] = line[line.index(after: equals)...].trimmingCharacters(
                    in: .whitespaces)
            }
        }
        return profiles
    }
}

extension S3Configuration {
    /// Returns the settings in the environment variables that AWS tools read: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`,
    /// `AWS_REGION`, `AWS_DEFAULT_REGION`.
    public static func settings(environment: [String: String] = ProcessInfo.processInfo.environment) -> [String: String]
    {
        func first(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } }
        var settings: [String: String] = [:]
        settings["endpoint"] = first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        settings["region"] = first("AWS_REGION", "AWS_DEFAULT_REGION")
        return settings
    }
}
