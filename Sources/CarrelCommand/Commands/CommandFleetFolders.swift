import Carrel
import Foundation
import Sync
import SyncFleet

/// The folders of a fleet's pairs, by the registered providers and a folder of credentials.
struct CommandFleetFolders: FleetFolders {
    let session: Session
    /// The folder with a file for each credential; `nil` if this worker has none.
    let credentials: URL?

    func folder(at location: String, credential: String?, of pair: FleetPair) async throws -> SyncFolder {
        guard let url = URL(string: location) else {
            throw FileError.make(
                .fileReadInvalidFileName, path: "", sentence: "A location of the pair “\(pair.name)” is no URL.")
        }
        let options = try session.unattendedOptions(for: url, credentials: try source(of: credential))
        let place = try await ProviderRegistry.shared.location(of: url, options: options)
        // As each side's label is in the names of its conflict copies, the two differ.
        let label = Self.host(of: url)
        let other = URL(string: location == pair.source ? pair.destination : pair.source).map(Self.host)
        let side = location == pair.source ? "source" : "destination"
        return SyncFolder(
            place, label: label == other ? "\(label) \(side)" : label, user: url.user(percentEncoded: false))
    }

    private static func host(of url: URL) -> String {
        url.host().flatMap { $0.isEmpty ? nil : $0 } ?? url.scheme.flatMap { $0 == "file" ? nil : $0 }
            ?? ProcessInfo.processInfo.hostName
    }

    private func source(of credential: String?) throws -> any CredentialSource {
        guard let credential else { return FixedCredential(nil) }
        guard let credentials else {
            throw CommandFailure(
                status: .refused,
                sentence: "The pair has the credential “\(credential)”, and this worker was given no --credentials.")
        }
        let file = credentials.appending(path: try FleetPairText.credential(credential))
        let source = FleetCredential(file: file)
        guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else {
            throw CommandFailure(
                status: .refused, sentence: "This worker has no credential “\(credential)”.")
        }
        return source
    }
}
