import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// The file of `RevokedHostKeys`.
struct RevokedHostKeysTests {
    private func key(_ mark: UInt8) throws -> HostKey {
        let type = Array("ssh-ed25519".utf8)
        return try #require(HostKey(blob: [0, 0, 0, 11] + type + [0, 0, 0, 32] + [UInt8](repeating: mark, count: 32)))
    }

    private func code(_ content: [UInt8]?, _ key: HostKey) throws -> URLError.Code? {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "carrel-revoked-\(UInt64.random(in: 0 ... .max))")
        try content.map { try Data($0).write(to: file) }
        defer { try? FileManager.default.removeItem(at: file) }
        do { try RevokedHostKeys(file: file.path).check(key, host: "books", url: nil) } catch {
            #expect(error.sentence.contains(key.fingerprint) && error.sentence.contains(file.path))
            return (error as? URLError)?.code
        }
        return nil
    }

    @Test func `a key that is in the file is refused, and so is every key where the file cannot be read`() throws {
        let lines = Array("# old\nssh-ed25519 \(try key(1).base64) host\r\n\n".utf8)
        #expect(try code(lines, key(1)) == .serverCertificateUntrusted)
        #expect(try code(lines, key(2)) == nil)
        #expect(try code([], key(2)) == nil)
        #expect(try code(nil, key(2)) == .serverCertificateUntrusted)
        #expect(try code(Array("SSHKRL\n\0".utf8) + [1], key(2)) == .serverCertificateUntrusted)
    }
}
