import Carrel
import CurlTransport
import Foundation
import LCP
import LCPStore

/// What the command keeps of licences on this machine, and how it asks their servers.
enum LicenseState {
    private static let largestIdentity = 64 << 10

    /// `lcp` below the folder of states.
    private static func folder(_ session: Session) -> URL {
        URL(fileURLWithPath: StateFolder.path(session.environment)).appending(path: "lcp", directoryHint: .isDirectory)
    }

    /// Returns the store of used rights, of newer licences and of the last times that the clock showed.
    static func store(_ session: Session) async throws -> any LicenseStore {
        let folder = try existing(folder(session))
        return try await SQLiteLicenseStore(at: folder.appending(path: "licenses.db"))
    }

    /// Returns the client for the licences' servers, with this machine's identity.
    static func client(_ session: Session) async throws -> LicenseStatusClient {
        LicenseStatusClient(
            connection: LicenseWeb(options: try session.licenseOptions()), device: try await device(session),
            store: try await store(session))
    }

    /// Creates `folder` for this user alone.
    private static func existing(_ folder: URL) throws -> URL {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder
    }

    private struct KeptDevice: Codable {
        var id: String
        var name: String
    }

    /// Returns the identity under which licences are registered: made once, then the same for all licences.
    private static func device(_ session: Session) async throws -> DeviceIdentity {
        let file = try existing(folder(session)).appending(path: "device.json")
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

/// Requests to the servers of licences.
private struct LicenseWeb: LicenseConnection {
    let options: ConnectionOptions

    func send(_ request: LicenseRequest) async throws -> LicenseResponse {
        let connection = try HTTPConnection(url: request.url, options: options)
        let isReading = request.method == "GET"
        let body = LockedValue(DataSink(limit: LicenseDocument.largest))
        var sent = HTTPRequest(
            request.method, path: .root, headers: request.headers.map { (name: $0.key, value: $0.value) },
            repetition: isReading ? .always : .ifNotDone, accepts: Set(300...599), isWriting: !isReading
        ) { _ in
            // Each repetition begins with an empty body.
            body.update { sink in
                sink = DataSink(limit: LicenseDocument.largest)
                return sink
            }
        }
        sent.url = request.url
        let head = try await connection.send(sent)
        return LicenseResponse(
            status: head.status,
            headers: Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { one, _ in one }),
            data: head.isSuccess ? body.value.data : head.errorBody)
    }
}
