import Glibc
import LibFuzzer

/// What takes one input; it ends the process where something does not hold that must.
typealias FuzzTarget = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

// The first argument names one of these, the others are libFuzzer's own.
let targets: [String: FuzzTarget] = [
    "comic-info": fuzzComicInfo, "encryption": fuzzEncryption, "epub-cfi": fuzzCFI, "html-content": fuzzContent,
    "known-hosts": fuzzKnownHosts, "lcp-license": fuzzLicense, "lcp-resource": fuzzProtectedResource,
    "lcpl": fuzzSniffing,
    "media-tags": fuzzMediaTags, "media-type": fuzzMediaType, "nav": fuzzNavigation, "ncx": fuzzNCX,
    "opds": fuzzCatalog, "opf": fuzzPackage, "pdf": fuzzPDF,
    "private-key": fuzzPrivateKey, "publication": fuzzPublication, "reader-messages": fuzzReaderMessages,
    "rwpm": fuzzManifest, "search": fuzzSearch,
    "sftp-packets": fuzzSFTPPackets, "xml": fuzzXML, "zip": fuzzZIP,
]

// To merge, libFuzzer starts this program again with its own options alone: the environment keeps the name.
let variable = "CARREL_FUZZ_TARGET"
let isNamed = CommandLine.arguments.count > 1 && targets[CommandLine.arguments[1]] != nil
if isNamed { setenv(variable, CommandLine.arguments[1], 1) }
guard let target = getenv(variable).flatMap({ targets[String(cString: $0)] }) else {
    print("Name one of: \(targets.keys.sorted().joined(separator: ", "))")
    exit(64)
}
var count = CommandLine.argc - (isNamed ? 1 : 0)
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + (isNamed ? 1 : 0)
arguments?[0] = CommandLine.unsafeArgv[0]
exit(LLVMFuzzerRunDriver(&count, &arguments, target))
