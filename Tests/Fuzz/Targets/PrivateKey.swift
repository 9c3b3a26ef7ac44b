@testable import SSHTransport

/// A file with a private key, or something like it.
func fuzzPrivateKey(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    guard let key = SSHPrivateKey(FuzzInput(data, size: size).bytes, file: "key", beside: nil) else { return 0 }
    precondition(
        key.publicKey == nil || key.algorithm != nil && key.loginType != nil, "A public half names its algorithm.")
    return 0
}
