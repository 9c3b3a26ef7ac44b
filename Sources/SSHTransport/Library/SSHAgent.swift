import CSSH2
import FileProviderCore
import Foundation

/// A conversation with an SSH agent over its socket, on the connection's thread. Source: draft-miller-ssh-agent.
final class SSHAgent {
    struct Identity {
        let blob: [UInt8]
        let comment: String
        var type: String { SSHFieldReader(blob).text }
    }

    private let socket: Int32
    private let control: SSHControl
    /// The user may have to confirm, or to touch a key.
    private static let patience = Duration.seconds(120)
    /// As OpenSSH's agent has it.
    private static let maxMessageLength = 256 << 10

    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no agent.
    init(path: String, control: SSHControl) throws {
        self.control = control
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = Foundation.socket(AF_UNIX, kind, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { location in
            guard path.utf8.count < location.count else { return false }
            location.copyBytes(from: path.utf8)
            return true
        }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                fits && connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            throw FileError.make(.fileReadNoSuchFile, path: path, sentence: "No SSH agent answers at “\(path)”.")
        }
    }

    deinit {
        if socket >= 0 { close(socket) }
    }

    /// SSH_AGENTC_REQUEST_IDENTITIES.
    func identities() throws -> [Identity] {
        var reply = SSHFieldReader(try ask([11]))
        guard reply.byte() == 12, let count = reply.number() else { return [] }
        var found: [Identity] = []
        while found.count < count, let blob = reply.string(), let comment = reply.string() {
            found.append(Identity(blob: blob, comment: SSHText.line(comment)))
        }
        return found
    }

    /// Keys that the options name come first, and RSA keys last if libssh2 cannot sign with them as servers require.
    static func ordered(
        _ identities: [Identity], first: [[UInt8]], signsRSA: Bool = SSHLibrary.signsRSAWithSHA2
    ) -> [Identity] {
        func rank(_ identity: Identity) -> Int {
            if !signsRSA, identity.type == "ssh-rsa" { return Int.max }
            return first.firstIndex(of: identity.blob) ?? first.count
        }
        let ranked = identities.enumerated().map { (rank: rank($1), location: $0, identity: $1) }
        return ranked.sorted { ($0.rank, $0.location) < ($1.rank, $1.location) }.map(\.identity)
    }

    /// SSH_AGENTC_SIGN_REQUEST: the signature without the algorithm's name; nil if the agent or the user refuses.
    func sign(_ data: [UInt8], with blob: [UInt8]) throws -> [UInt8]? {
        var request: [UInt8] = [13]
        for field in [blob, data] { request += SSHFieldReader.bigEndian(field.count) + field }
        // The signed data names the hash algorithm for RSA.
        let wanted = Self.algorithm(in: data)
        request += SSHFieldReader.bigEndian(wanted == "rsa-sha2-512" ? 4 : wanted == "rsa-sha2-256" ? 2 : 0)
        var reply = SSHFieldReader(try ask(request))
        guard reply.byte() == 14, let signature = reply.string() else { return nil }
        var fields = SSHFieldReader(signature)
        _ = fields.string()
        return fields.string()
    }

    /// The algorithm's name in what is signed (RFC 4252, section 7).
    private static func algorithm(in data: [UInt8]) -> String {
        var fields = SSHFieldReader(data)
        _ = fields.string()
        _ = fields.byte()
        for _ in 0..<3 { _ = fields.string() }
        _ = fields.byte()
        return fields.string().map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func ask(_ request: [UInt8]) throws -> [UInt8] {
        let deadline = ContinuousClock.now + Self.patience
        let message = SSHFieldReader.bigEndian(request.count) + request
        var sent = 0
        while sent < message.count {
            let count = message[sent...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 { sent += count } else { try wait(Int16(POLLOUT), until: deadline) }
        }
        var head = SSHFieldReader(try receive(4, until: deadline))
        guard let length = head.number(), length > 0, length <= Self.maxMessageLength else { throw broken() }
        return try receive(length, until: deadline)
    }

    private func receive(_ count: Int, until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress.map { $0 + filled }, count - filled, 0)
            }
            if got == 0 { throw broken() }
            if got > 0 { filled += got } else { try wait(Int16(POLLIN), until: deadline) }
        }
        return bytes
    }

    private func wait(_ events: Int16, until deadline: ContinuousClock.Instant) throws {
        guard errno == EAGAIN || errno == EINTR, deadline > .now else { throw broken() }
        _ = try control.wait(for: socket, events: events, until: deadline)
    }

    private func broken() -> CocoaError {
        FileError.make(.fileReadUnknown, path: "", sentence: "The SSH agent sent an invalid answer.")
    }
}
