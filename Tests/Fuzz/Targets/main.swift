import Glibc
import LibFuzzer

/// What takes one input; it ends the process where something does not hold that must.
typealias FuzzTarget = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

// The first argument names one of these, the others are libFuzzer's own.
let targets: [String: FuzzTarget] = [
    "known-hosts": fuzzKnownHosts, "private-key": fuzzPrivateKey, "sftp-packets": fuzzSFTPPackets, "ssh-config": fuzzSSHConfig,
]

guard let target = CommandLine.arguments.dropFirst().first.flatMap({ targets[$0] }) else {
    print("Name one of: \(targets.keys.sorted().joined(separator: ", "))")
    exit(64)
}
var count = CommandLine.argc - 1
// libFuzzer starts itself again by the first argument.
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
arguments?[0] = CommandLine.unsafeArgv[0]
exit(LLVMFuzzerRunDriver(&count, &arguments, target))
