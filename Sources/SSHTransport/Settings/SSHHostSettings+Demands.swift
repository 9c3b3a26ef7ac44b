import Foundation

extension SSHHostSettings {
    /// Finds what the program's answer asks for and libssh2 does not have. Reads from the disk.
    func demands(_ output: SSHConfigOutput, _ account: SSHAccount) -> Set<Demand> {
        var demands: Set<Demand> = []
        if output.first("proxyjump") != nil || output.first("proxycommand") != nil { demands.insert(.proxy) }
        if output.first("controlpath") != nil || !["false", "no", nil].contains(output.first("controlmaster")) {
            demands.insert(.sharing)
        }
        if !certificateFiles.isEmpty || identityFiles.contains(where: { access($0 + "-cert.pub", F_OK) == 0 }) {
            demands.insert(.certificate)
        }
        if output.first("pkcs11provider") != nil || isInHardware(account) { demands.insert(.hardwareKey) }
        if output.isYes("gssapiauthentication"), wantsTickets(output, account: account) { demands.insert(.kerberos) }
        return demands
    }

    /// Whether a named key, or the only kind of key that exists, is in a FIDO device.
    private func isInHardware(_ account: SSHAccount) -> Bool {
        let there = identityFiles.filter { access($0, F_OK) == 0 || access($0 + ".pub", F_OK) == 0 }
        let hardware = there.filter { SSHPrivateKey.publicHalf(of: $0)?.type.hasPrefix("sk-") ?? false }
        if hardware.isEmpty { return false }
        return identityFiles != SSHPrivateKey.usualFiles(home: account.home) || hardware.count == there.count
    }

    /// Distributions turn `GSSAPIAuthentication` on for every host, so that alone is not a demand.
    private func wantsTickets(_ output: SSHConfigOutput, account: SSHAccount) -> Bool {
        output.isYes("gssapidelegatecredentials")
            || (output.first("preferredauthentications") ?? "").hasPrefix("gssapi")
            || Self.hasTicket(account)
    }

    /// Whether Kerberos has a cache of credentials, by its name alone. Source: the documentation of MIT Kerberos,
    /// "ccache types".
    private static func hasTicket(_ account: SSHAccount) -> Bool {
        guard let name = account.environment["KRB5CCNAME"], !name.isEmpty else {
            return access("/tmp/krb5cc_\(account.identifier)", R_OK) == 0
        }
        for type in ["FILE:", "DIR:"] where name.hasPrefix(type) {
            return access(String(name.dropFirst(type.count)), R_OK) == 0
        }
        return !name.hasPrefix("/") || access(name, R_OK) == 0
    }
}
