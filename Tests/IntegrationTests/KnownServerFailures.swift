import FileProviderConformance

/// What servers do not keep, each with its reason. Found by running the kit; the run fails when one of them is kept.
enum KnownServerFailures {
    static func of(_ program: String) -> [Conformance.KnownFailure] {
        switch program {
        case "nginx": []
        case "rclone": []
        default: []
        }
    }
}
