import FileProviderCore
import Foundation
import SSHTransport

extension SFTPAccess {
    /// The way by the program where it logs in without asking anybody, which is tried once; nil where it does not,
    /// where it is not installed, where a proxy is on the way, and where it cannot do what the options ask for.
    func programLink(_ settings: SSHHostSettings) async throws -> SFTPProgramLink? {
        // It would go straight to the server.
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

    /// The program looks into its configuration by itself.
    func program(_ settings: SSHHostSettings) throws -> SSHProgram {
        var program = plainProgram
        program.identities = options.trust.identities
        program.timeouts = options.timeouts
        program.counters = options.counters
        program.knownHostsInUse = settings.knownHosts
        if program.hasOtherHome { program.usersKnownHosts = settings.knownHosts.userFiles }
        // What the configuration says of it, the program follows.
        program.keepsAlive = settings.serverAliveInterval == nil
        guard (options.trust.knownHosts?.count ?? 0) <= 1 else {
            throw notByProgram("more than one file of known hosts")
        }
        guard !hasGivenProxy(settings) else {
            throw notByProgram("proxy but those of its configuration (ProxyJump, ProxyCommand)")
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
            sentence: "The ssh program, by which “\(host)” is reached, takes no \(what).")
    }
}
