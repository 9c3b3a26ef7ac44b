import FileProviderCore
import Foundation
import SSHTransport

extension SFTPAccess {
    /// The link by the ssh program, if it logs in without asking the user, which is tried once. Nil if it doesn't, if
    /// it is not installed, if a proxy is needed, and if it cannot do what the options ask for.
    func programLink(_ settings: SSHHostSettings) async throws -> SFTPProgramLink? {
        // The program would bypass the proxy.
        guard try proxy(settings) == nil else { return nil }
        guard programLogsIn.value != false, !hasOwnPassword, let program = try? program(settings),
            try await BlockingThreads.shared.run({ program.isUsable })
        else { return nil }
        if programLogsIn.value == nil {
            do { try await program.checkLogin() } catch let error where Self.wasRefused(error) {
                programLogsIn.update { $0 = false }
                return nil
            }
            programLogsIn.update { $0 = true }
        }
        return SFTPProgramLink(program: program)
    }

    /// The program for this host, with its configuration chosen and nothing else.
    var plainProgram: SSHProgram {
        var program = SSHProgram(host: host)
        program.program = programName
        program.user = user
        program.port = port
        program.followHome(environment: environment)
        if !configuration.readsSSHConfig { program.configuration = "none" }
        return program
    }

    /// The program for this host; it reads its configuration itself.
    func program(_ settings: SSHHostSettings) throws -> SSHProgram {
        var program = plainProgram
        program.identities = options.trust.identities
        program.timeouts = options.timeouts
        program.counters = options.counters
        program.knownHostsInUse = settings.knownHosts
        if program.hasOtherHome { program.usersKnownHosts = settings.knownHosts.userFiles }
        // The program follows a setting of its configuration.
        program.keepsAlive = settings.serverAliveInterval == nil
        guard (options.trust.knownHosts?.count ?? 0) <= 1 else {
            throw notByProgram("more than one file of known hosts")
        }
        guard !hasGivenProxy(settings) else {
            throw notByProgram("a proxy other than ProxyJump or ProxyCommand of its configuration")
        }
        program.knownHosts = options.trust.knownHosts.map { $0.first ?? "/dev/null" }
        switch options.trust.hostKeys {
        case .known: program.acceptsNewHosts = settings.hostKeyPolicy == .acceptNew
        case .acceptNew: program.acceptsNewHosts = true
        case .pinned: throw notByProgram("fingerprints of host keys")
        }
        return program
    }

    private func notByProgram(_ what: String) -> CocoaError {
        FileError.make(
            .featureUnsupported, path: "", url: configuration.baseURL,
            sentence: "The ssh program, which connects to “\(host)”, does not support \(what).")
    }
}
