import FileProviderCore
import Foundation
import Testing

import SSHTransport

/// Keys made for these tests, which open nothing.
private enum SampleFiles {
    /// `ssh-keygen -t ed25519`
    static let openSSH =
        """
        -----BEGIN OPENSSH PRIVATE KEY-----
        b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
        QyNTUxOQAAACD0muC8Sdwga0GEG17Moo2syg+jEonESc5LNiZ+/lWfxQAAAJBDcRoWQ3Ea
        FgAAAAtzc2gtZWQyNTUxOQAAACD0muC8Sdwga0GEG17Moo2syg+jEonESc5LNiZ+/lWfxQ
        AAAEBsnrcudZ+Mch8b7qVDTOX8ppSbWmR0rG1TeZR7e2KI4vSa4LxJ3CBrQYQbXsyijazK
        D6MSicRJzks2Jn7+VZ/FAAAADGhvc3QuZXhhbXBsZQE=
        -----END OPENSSH PRIVATE KEY-----
        """
    /// The same with the passphrase “secret”.
    static let openSSHLocked =
        """
        -----BEGIN OPENSSH PRIVATE KEY-----
        b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABA5rqlbow
        ddPPgPo0i08I4+AAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIJGmmGuivpI9PdSN
        Q4TEprv6/MyIWHmyGAua3tWMjQB5AAAAkHO3zeBoeKhI7BP4YMT0JBLRi6rZ0DBgXDulJ9
        Y3y+vt3AHgU6J4o8O1JhBs+aPRYVO24vvngpLK+M611vNk8jN1pOwrrEUjO4AFHEi7GPvN
        VKKF3rRkJJTw6snps3outXHipZJ81OiBcE3U15jtw5W8+whomNF7weaHP7TzDkJFKk5thD
        448W0pCTDWpB82Ow==
        -----END OPENSSH PRIVATE KEY-----
        """
    /// `ssh-keygen -t ecdsa -m PEM`
    static let sec1 =
        """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIE7HwI+6gYz4onzG+Md1vagJOcptOEalxmR8MVIajYDtoAoGCCqGSM49
        AwEHoUQDQgAEJFgeBsH9/Rn1SFw5y2A4+ahNg4wQ//oLtOIw3IGd9iAKngXc1ASv
        4X3KEmzF+r2hwsJHCuSbHGMKyn2pTRqMDQ==
        -----END EC PRIVATE KEY-----
        """
    /// The same with the passphrase “secret”.
    static let sec1Locked =
        """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,7349A69DBB002666CA804C426B2CB9C1

        u5UkO5HblWL8JTuvn2N9qsXvQxU2YxdFem468KyNYlFi03BDJ1OGX7xOaZ8qG/b9
        UuXVGI5vMmtiUsvvNMFXXqt47HwoeTq/qA2XsmyZOsYVsBkKzary0YzNSVYUTfpY
        iYKg6pShb5mdETA5bJEVvBsa7SZ1PinKrvPUOvLvJhg=
        -----END EC PRIVATE KEY-----
        """
    /// `ssh-keygen -t ecdsa -m PKCS8`
    static let pkcs8 =
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg5AlVqTJrXaYnpHHF
        wfuaMxdnGFWhO2h7iS4m8BBiDtmhRANCAASlYGLsmlGdlDOsJPb7Q+Y8cbqP4yWe
        8qKcwUy5yMDLZzu/EMNrX59Bma54f/v6kidGAELG/Zlj3VlDTuU9vUyE
        -----END PRIVATE KEY-----
        """
    /// The same with the passphrase “secret”.
    static let pkcs8Locked =
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi1iARM9iM2UQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEOPNLL5dBppEPJa+d8LlOooEgZAT
        le+vemEmpbgItfPN3zyeNRNPwqn9O9zEYE8zHn8FxZ4HGqr9eDTRTAzDfzEhxGBq
        XuAwIP97OjJKLqGS+PxaBnUvUYnsB/zKmosz1Sz1nqnhE/LJQ6x4mP8gYnmf2P2i
        lpxffrnhesQ46vdmnmCfPae29C75oHNuPOnZvP6Z7MQlt0Zr1sA0DICbvxJ3BBQ=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// `openssl genpkey -algorithm ed25519`
    static let pkcs8Edwards =
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIGqgQehkrEi+q0YnQom8rStkCP5yz0JXr2LFgqxo2CdM
        -----END PRIVATE KEY-----
        """
}

struct SSHPrivateKeyTests {
    private func key(_ text: String, beside: HostKey? = nil) -> SSHPrivateKey? {
        SSHPrivateKey(Array(text.utf8), file: "key", beside: beside)
    }

    @Test(
        arguments: [
            (SampleFiles.openSSH, SSHPrivateKey.Algorithm.ed25519, false), (SampleFiles.openSSHLocked, .ed25519, true),
            (SampleFiles.sec1, .ecdsa, false), (SampleFiles.sec1Locked, .ecdsa, true),
            (SampleFiles.pkcs8, .ecdsa, false),
            (SampleFiles.pkcs8Locked, nil, true), (SampleFiles.pkcs8Edwards, .ed25519, false),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----", .rsa, false),
            ("-----BEGIN DSA PRIVATE KEY-----\r\nMIIB\r\n-----END DSA PRIVATE KEY-----\r\n", .dsa, false),
            (
                "text in front\n-----BEGIN PRIVATE KEY-----\nMIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAKfEj+6KmfR+fyFj\n-----END PRIVATE KEY-----\n",
                .rsa, false
            ),
        ] as [(String, SSHPrivateKey.Algorithm?, Bool)])
    func `a key is recognised without its passphrase`(
        text: String, algorithm: SSHPrivateKey.Algorithm?, isEncrypted: Bool
    ) throws {
        let found = try #require(key(text))
        #expect(found.algorithm == algorithm)
        #expect(found.isEncrypted == isEncrypted)
        #expect((found.publicKey == nil) == !text.contains("OPENSSH"))
    }

    @Test(arguments: [
        ("ssh-ed25519", SSHPrivateKey.Algorithm.ed25519), ("ecdsa-sha2-nistp521", .ecdsa), ("ssh-rsa", .rsa),
        ("ssh-dss", .dsa),
        ("sk-ssh-ed25519@openssh.com", .securityKey), ("sk-ecdsa-sha2-nistp256@openssh.com", .securityKey),
        ("ssh-xmss@openssh.com", .other("ssh-xmss@openssh.com")),
    ])
    func `OpenSSH's format names its algorithm and its cipher`(type: String, algorithm: SSHPrivateKey.Algorithm) throws
    {
        func field(_ bytes: some Collection<UInt8>) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        for cipher in ["none", "aes256-ctr", "chacha20-poly1305@openssh.com"] {
            let blob = field(type.utf8) + field([1, 2, 3])
            let bytes =
                Array("openssh-key-v1\0".utf8) + field(cipher.utf8) + field("bcrypt".utf8) + field([]) + [0, 0, 0, 1]
                + field(blob)
            let text =
                "-----BEGIN OPENSSH PRIVATE KEY-----\n\(Data(bytes).base64EncodedString())\n-----END OPENSSH PRIVATE KEY-----\n"
            let found = try #require(key(text))
            #expect(found.algorithm == algorithm)
            #expect(found.isEncrypted == (cipher != "none"))
            #expect(found.publicKey?.blob == blob)
        }
    }

    @Test(arguments: [
        "", "nonsense", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN -----",
        "-----BEGIN-----",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n", "-----BEGIN RSA PRIVATE KEY-----\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN RSA PRIVATE KEY-----\n!!\n-----END RSA PRIVATE KEY-----",
        "PuTTY-User-Key-File-3: ssh-ed25519", "ssh-ed25519 \(SampleKeys.ed25519)",
    ])
    func `what is no private key is none`(text: String) {
        #expect(key(text) == nil)
    }

    @Test
    func `the public key beside it tells what a locked one hides`() throws {
        let folder = try ScratchFolder()
        let file = try folder.file("id", SampleFiles.pkcs8Locked)
        #expect(chmod(file, 0o600) == 0)
        #expect(try SSHPrivateKey(file: file).algorithm == nil)
        _ = try folder.file("id.pub", "ssh-rsa \(SampleKeys.ecdsa)\n")
        #expect(try SSHPrivateKey(file: file).publicKey == nil)
        _ = try folder.file("id.pub", "ecdsa-sha2-nistp256 \(SampleKeys.ecdsa) a comment\n")
        let found = try SSHPrivateKey(file: file)
        #expect(found.algorithm == .ecdsa && found.isEncrypted)
        #expect(found.publicKey?.base64 == SampleKeys.ecdsa)
    }

    @Test(arguments: [0o640, 0o604, 0o660, 0o777])
    func `a key that others may read is not used`(mode: UInt32) throws {
        let folder = try ScratchFolder()
        let file = try folder.file("id", SampleFiles.openSSH)
        #expect(chmod(file, mode) == 0)
        let error = #expect(throws: CocoaError.self) { try SSHPrivateKey(file: file) }
        #expect(error?.code == .fileReadNoPermission)
        #expect(error?.sentence.contains("chmod 600") == true)
        for allowed in [0o600, 0o400] as [UInt32] {
            #expect(chmod(file, allowed) == 0)
            #expect(try SSHPrivateKey(file: file).algorithm == .ed25519)
        }
    }

    @Test
    func `what cannot be used is told by its reason`() throws {
        let folder = try ScratchFolder()
        func failure(_ name: String, _ text: String) throws -> CocoaError? {
            let file = try folder.file(name, text)
            #expect(chmod(file, 0o600) == 0)
            return #expect(throws: CocoaError.self) { try SSHPrivateKey(file: file) }
        }
        #expect(try failure("putty", "PuTTY-User-Key-File-3: ssh-ed25519\n")?.sentence.contains("puttygen") == true)
        #expect(try failure("text", "hello")?.code == .fileReadCorruptFile)
        #expect(try failure("large", String(repeating: "x", count: 300_000))?.code == .fileReadTooLarge)
        #expect(throws: CocoaError.self) { try SSHPrivateKey(file: folder.path) }
        let missing = #expect(throws: CocoaError.self) { try SSHPrivateKey(file: folder.path + "/none") }
        #expect(missing?.isNoSuchFile == true)
    }

    @Test
    func `no change of a key crashes`() {
        let samples = [SampleFiles.openSSH, SampleFiles.sec1Locked, SampleFiles.pkcs8, SampleFiles.pkcs8Edwards]
        var recognised = 0
        for sample in samples {
            for _ in 0..<1000 {
                var bytes = Array(sample.utf8)
                bytes[Int.random(in: bytes.indices)] = UInt8.random(in: 32...126)
                bytes.removeSubrange(Int.random(in: 0..<bytes.count / 2)..<(bytes.count / 2 + Int.random(in: 0...1)))
                if SSHPrivateKey(bytes, file: "key", beside: nil) != nil { recognised += 1 }
                var one = Array(sample.utf8)
                one[Int.random(in: 40..<(one.count - 40))] = UInt8.random(in: 32...126)
                if SSHPrivateKey(one, file: "key", beside: nil) != nil { recognised += 1 }
            }
        }
        #expect(recognised > 100)
    }
}
