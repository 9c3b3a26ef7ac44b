import Carrel
import Foundation
import LCP
import LCPConnection
import LCPStore

/// What the command keeps of licences on this machine, and how it asks their servers.
enum LicenseState {
    private static let largestIdentity = 64 << 10

    /// `lcp` below the folder of states.
    private static func folder(_ session: Session) -> URL {
        URL(fileURLWithPath: StateFolder.path(session.environment)).appending(path: "lcp", directoryHint: .isDirectory)
    }

    /// Returns the store of used rights, of newer licences, of the last times that the clock showed and of how licences
    /// ended. Its file is made at the first use.
    static func store(_ session: Session) -> any LicenseStore {
        let folder = folder(session)
        return DeferredLicenseStore {
            try await SQLiteLicenseStore(at: Self.existing(folder).appending(path: "licenses.db"))
        }
    }

    /// Returns the client for the licences' servers, with this machine's identity, which is made at the first use.
    static func client(_ session: Session, store: any LicenseStore) throws -> LicenseStatusClient {
        let folder = folder(session)
        return LicenseStatusClient(
            connection: HTTPLicenseConnection(options: try session.licenseOptions()), store: store,
            identity: { try await Self.device(in: folder) })
    }

    /// Creates `folder` for this user alone.
    private static func existing(_ folder: URL) throws -> URL {
        try MissingFolder.create(folder)
        return folder
    }

    private struct KeptDevice: Codable {
        var id: String
        var name: String
    }

    /// Returns the identity under which licences are registered: made once, then the same for all licences.
    private static func device(in folder: URL) async throws -> DeviceIdentity {
        let file = try existing(folder).appending(path: "device.json")
        let path = file.path(percentEncoded: false)
        if let kept = try await kept(at: path) { return kept }
        let device = KeptDevice(id: UUID().uuidString.lowercased(), name: ProcessInfo.processInfo.hostName)
        let provider = try LocalFileProvider(root: file.deletingLastPathComponent())
        do {
            try await provider.writeContents(
                path: ProviderPath("device.json"), from: DataSource(JSONEncoder().encode(device)),
                options: WriteOptions(permissions: 0o600))
        } catch let error where error.isFileExists {
            // Another run made one in the same moment.
            if let kept = try await kept(at: path) { return kept }
            throw error
        }
        return DeviceIdentity(id: device.id, name: device.name)
    }

    private static func kept(at path: String) async throws -> DeviceIdentity? {
        do {
            let data = try await SmallFile.read(path, limit: largestIdentity)
            let device = try JSONDecoder().decode(KeptDevice.self, from: data)
            return DeviceIdentity(id: device.id, name: device.name)
        } catch let error where error.isNoSuchFile {
            return nil
        } catch is DecodingError {
            throw FileError.make(
                .fileReadCorruptFile, path: path,
                sentence:
                    "“\(path)”, this machine's identity for licences, is damaged. Remove it to register as a new device."
            )
        }
    }
}
